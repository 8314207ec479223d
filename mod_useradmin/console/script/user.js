// One user.

// Shows the user, with the values of a draft and as a new entry of the history or not. known: the user as the list has it.
// Resolves to whether the user could be read.
async function showUser(id, { typed = {}, isNew = true, known = null } = {}) {
  const frame = dialog("…", "drawer");
  frame.node.user = id;
  if (isNew) writeAddress(true, "opened");
  // Closes the drawer by going back to the entry of the history before it, if there is one.
  frame.close = () => new Promise((resolve) => {
    frame.node.addEventListener("close", resolve);
    if (history.state !== "opened") {
      frame.node.close();
      return writeAddress(false);
    }
    if (!frame.node.isLeft) history.back();
    frame.node.isLeft = true;
  });
  if (canCopy) frame.place.after(bareButton("link", t("copyLink"), copy(() => `${location.href.split("#")[0]}#${new URLSearchParams({ user: id })}`)));
  const { notice } = frame;
  let user, tag;
  const pills = h("span", { class: "pills" });
  frame.place.append(pills);
  frame.place.before(avatar(known ?? { name: "", email: "" }, "large"));
  const facts = h("dl", { class: "facts" });
  const name = h("input", { name: "name", required: true, autocomplete: "off" });
  const email = h("input", { type: "email", name: "email", required: true, autocomplete: "off" });
  const role = h("select", { name: "role" });
  const inputs = { name, email, role };
  const labels = { name: t("name"), email: t("email"), role: t("role") };
  const access = h("section");
  const sessions = h("section");
  const end = h("section");
  let profile = null;

  // The initial value of each input. Inputs drop line ends, and e-mail inputs trim spaces.
  const shown = {};
  // An unchanged value is always valid.
  for (const [key, input] of Object.entries(inputs)) Object.assign(input, { isStored: true, isEdited: () => input.value !== shown[key] });
  // Shows the user as just read, but keeps typed input. Returns descriptions of what others have changed.
  function take(fresh, freshTag) {
    const before = user;
    const changes = [];
    for (const [key, input] of Object.entries(inputs)) {
      const edited = before && input.isEdited() ? input.value : null;
      if (before && before[key] !== fresh[key]) changes.push(t("changedTo", { field: labels[key], value: brief(key === "role" ? nameOfRole(fresh[key]) : fresh[key]) }));
      if (key === "role") role.replaceChildren(...roles(fresh.role).map(([value, text]) => h("option", { value }, text)));
      input.value = fresh[key];
      shown[key] = input.value;
      if (edited !== null) input.value = edited;
    }
    user = fresh;
    tag = freshTag;
    return changes;
  }
  // If two loads overlap, the later one counts.
  let readings = 0;
  async function load() {
    const mine = ++readings;
    const { data, tag: freshTag } = await call("GET", `/${encodeURIComponent(id)}`);
    if (mine !== readings) return [];
    const changes = take(data, freshTag);
    paint();
    return changes;
  }
  // Reports success even if the user can no longer be read.
  async function done(text, effects) {
    try {
      await load();
      // A new password or a ban may have ended the sessions.
      if (sessions.isConnected) await loadSessions();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 401) return;
      notice.replaceChildren(error.message);
    }
    tell(text, effects);
    list.refresh(effects);
  }

  // Returns a function that sends a dialog's request with the current tag. If the user has changed, reloads the user.
  const asking = (of = pathOf(user), seen = tag) => async (method, path, body) => {
    try {
      await call(method, of + path, { tag: seen, body });
    } catch (error) {
      if (error.status === 412)
        await load().catch((another) => {
          if (!(another instanceof Problem)) throw another;
        });
      throw error;
    }
  };
  async function loadKeeping() {
    const changes = await load();
    notice.replaceChildren();
    tell([t("loadedAgain"), ...changes].join(" "));
    name.focus();
  }
  // Runs the action. If the user has changed, offers to reload it.
  const guarded = (action) => async () => {
    try {
      notice.replaceChildren();
      await action();
    } catch (error) {
      if (error.status !== 412) throw error;
      notice.replaceChildren(t("hasChanged"), button(t("loadKeeping"), () => attempt(loadKeeping)));
      notice.querySelector("button").focus();
    }
  };
  // Runs an action outside a form.
  async function attempt(action) {
    try {
      await guarded(action)();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      notice.replaceChildren(error.message);
    }
  }

  // Runs a button's action. Ignores further clicks until it ends.
  let isBusy = false;
  async function press(action) {
    if (isBusy) return;
    isBusy = true;
    await attempt(action).finally(() => (isBusy = false));
  }

  async function isTaken(address) {
    const { data } = await call("GET", `?${new URLSearchParams({ match: "all", limit: String(limits.at(-1)), search: address })}`);
    return data.some((each) => each.id !== user.id && asCompared(each.email) === asCompared(address));
  }
  async function save() {
    const body = {};
    const sent = {};
    for (const [key, input] of Object.entries(inputs)) {
      sent[key] = input.value;
      if (input.value.trim() !== shown[key].trim() && (key !== "role" || isSuper())) body[key] = input.value.trim();
    }
    if (!Object.keys(body).length) return tell(t("unchanged"));
    try {
      await call("PUT", pathOf(user), { tag, body });
    } catch (error) {
      // The service replies 500 to an address that another user has, among other reasons.
      throw error.status === 500 && "email" in body && (await isTaken(body.email)) ? new Problem(400, addressTaken) : error;
    }
    // Keep what has been typed in the meantime.
    for (const [key, input] of Object.entries(inputs)) {
      shown[key] = body[key] ?? shown[key];
      if (input.value === sent[key]) input.value = shown[key];
    }
    user = { ...user, ...body };
    await done(t("saved"), { endsSessions: changesEndSessions && ("role" in body || "email" in body), changesCounts: "email" in body });
    if (!caller || !isSelf(user)) return;
    if ("role" in body) start();
    else showName(user);
  }

  // Replaces the children of a part and keeps the focus at the same position.
  function renew(part, ...children) {
    const at = [...part.querySelectorAll("button")].indexOf(document.activeElement);
    part.replaceChildren(...children);
    if (at >= 0) (part.querySelectorAll("button")[at] ?? frame.heading).focus();
  }
  function paintHead(user) {
    frame.heading.textContent = nameOf(user);
    pills.replaceChildren();
    fill(pills, null, [rolePill(user.role), statusPills(user), isSelf(user) && h("span", { class: "pill" }, t("you")), isProtected(user) && h("span", { class: "pill" }, t("protectedUser"))]);
    frame.node.querySelector(".head > .avatar").replaceWith(avatar(user, "large"));
  }
  function paint() {
    paintHead(user);
    const rows = [[t("email"), user.email], [t("id"), user.id], [t("created"), time(user.createdAt, timeFormat)], [t("updated"), time(user.updatedAt, timeFormat)], [t("verification"), t(user.emailVerified ? "yes" : "no")]];
    if (user.banned) rows.push([t("banned"), user.banExpires ? t(isBanned(user) ? "bannedUntil" : "banOver", { time: timeFormat.format(new Date(user.banExpires)) }) : t("forever")]);
    if (user.banned && user.banReason) rows.push([t("reason"), user.banReason]);
    const copies = { [t("email")]: ["copyEmail", user.email], [t("id")]: ["copyId", user.id] };
    const copyOf = (label) => canCopy && copies[label]?.[1] && bareButton("copy", t(copies[label][0]), copy(() => copies[label][1]));
    renew(facts, ...rows.flatMap(([label, value]) => [h("dt", null, label), h("dd", null, value, copyOf(label))]));
    const mayBan = mayChange() && (!isSelf(user) || user.banned);
    const mayReset = mayChange() && hasExtras;
    access.hidden = !mayBan && !mayReset;
    renew(access, h("header", null, h("h3", null, t("access")), h("div", { class: "actions" },
      mayReset && button(t("setPassword"), () => setPassword(user, asking(), done)),
      mayReset && button(t("resetFactor"), () => resetFactor(user, asking(), done)),
      mayBan && (user.banned ? button(t("unban"), () => press(unban)) : button(t("ban"), () => banUser(user, asking(), done), "danger")))));
    end.hidden = !mayDelete(user);
    renew(end, h("div", { class: "actions" }, button(t("remove"), () => removeUser(user, asking(), async () => {
      await frame.close();
      tell(t("removed", { name: nameOf(user) }), { endsSessions: true });
      list.refresh();
    }), "danger")));
  }
  async function unban() {
    if (hasExtras) await call("DELETE", `${pathOf(user)}/ban`, { tag });
    else await call("PUT", pathOf(user), { tag, body: { banned: false } });
    await done(t("unbannedNow"));
  }

  // Returns the id of the caller's session, if the console's own sign-in knows it.
  async function ownSessionId() {
    if (!canSignIn || id !== caller.id) return null;
    const { content } = await send("GET", `${service.signIn}/get-session?disableRefresh=true`).catch(() => ({}));
    return content?.session?.id ?? null;
  }
  let sessionReadings = 0;
  async function loadSessions() {
    const mine = ++sessionReadings;
    const [{ data }, ownSession] = await Promise.all([call("GET", `/${encodeURIComponent(id)}/sessions`), ownSessionId()]);
    if (mine !== sessionReadings) return;
    const heading = h("h3", { tabindex: "-1" }, t("sessions"), " ", h("span", { class: "muted" }, number.format(data.length)));
    // Asks before the caller's own session ends, or one that may be it.
    const agreed = (session) => !isSelf(user) || (ownSession && session && session.id !== ownSession) || confirmation(t("endOwnTitle"), t("cancel"), t("endOwn"), t("endOwnLead"));
    const endOne = (session) => async () => {
      if (!(await agreed(session))) return;
      await call("DELETE", `${pathOf(user)}/sessions/${encodeURIComponent(session.id)}`);
      await loadSessions();
      tell(t("endedSession"), { endsSessions: true });
      sessions.querySelector("h3").focus();
    };
    const endAll = async () => {
      if (!(await agreed())) return;
      await call("DELETE", `${pathOf(user)}/sessions`);
      await loadSessions();
      tell(t("endedAll"), { endsSessions: true });
      sessions.querySelector("h3").focus();
    };
    sessions.replaceChildren(
      h("header", null, heading, !isCopy && data.length > 0 && button(t("endAll"), () => press(endAll))),
      data.length === 0 ? h("p", { class: "muted" }, t("noSessions")) : h("ul", { class: "sessions" }, data.map((session) => h("li", null,
        h("div", null, h("span", { title: session.userAgent }, deviceOf(session.userAgent)), session.id === ownSession && [" ", h("span", { class: "pill" }, t("thisSession"))], h("p", { class: "muted small" }, [session.ipAddress, session.createdAt && t("since", { time: timeFormat.format(new Date(session.createdAt)) })].filter(Boolean).join(" · "))),
        !isCopy && h("button", { type: "button", "aria-label": t("endSessionOf", { device: deviceOf(session.userAgent) }), onclick: busy(() => press(endOne(session))) }, t("endSession"))))));
  }

  if (known) paintHead(known);
  const sessionsRead = isSuper() && hasExtras ? loadSessions() : null;
  sessionsRead?.catch(() => {});
  try {
    await load();
  } catch (error) {
    if (error instanceof Problem && frame.node.isConnected) {
      frame.heading.textContent = t("user");
      frame.content.append(h("div", { class: "notice bad", role: "alert" }, error.message));
    }
    return false;
  }
  if (mayEdit(user)) {
    profile = form({
      fields: [field(t("name"), name), field(t("email"), email), isSuper() && field(t("role"), role, { hint: isSelf(user) ? t("ownRole") : undefined })],
      buttons: [submit(t("save"))],
      agreed: () => !gainsRights(shown.role, role.value) || confirmRole(nameOf(user), role.value),
      action: guarded(save),
    });
    profile.setAttribute("aria-label", t("profile"));
  }
  frame.content.append(facts, profile ? h("section", null, h("h3", null, t("profile")), profile) : "", access);
  if (sessionsRead) {
    frame.content.append(sessions);
    attempt(() => sessionsRead).then(() => frame.content.append(end));
  } else frame.content.append(end);
  enterTyped(typed, Object.values(inputs));
  if ("reason" in typed || "until" in typed) banUser(user, asking(), done, typed);
  return true;
}
