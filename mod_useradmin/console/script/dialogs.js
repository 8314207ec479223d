// Dialogs: the browser traps and restores the focus.

function dialog(title, kind = "") {
  const heading = h("h2", { id: newId(), tabindex: "-1" }, title);
  const place = h("div", { class: "title" }, heading);
  const content = h("div", { class: "inner" });
  const notice = h("div", { class: "notice warn", role: "alert" });
  const opener = document.activeElement;
  const frame = { heading, place, content, notice, leave, close: () => frame.node.close() };
  const node = (frame.node = h("dialog", { class: kind, "aria-labelledby": heading.id },
    h("div", { class: "top" },
      h("div", { class: "head" }, place, bareButton("close", t("close"), leave)),
      h("p", { class: "status", role: "status" }), notice),
    h("div", { class: "content" }, content)));
  node.addEventListener("close", () => {
    node.remove();
    // The element that opened the dialog may have been replaced.
    const below = dialogs().at(-1);
    if (below) return below.contains(document.activeElement) || below.querySelector("h2").focus();
    const again = opener?.isConnected && opener !== document.body ? opener : document.querySelector(`[data-user="${CSS.escape(node.user ?? opener?.dataset.user ?? "")}"]`);
    (again ?? document.querySelector("input[type=search]"))?.focus();
  });
  // Asks before edits are discarded.
  function leave() {
    if (!editsIn(node).length) frame.close();
    else agreesToDiscard().then((isAgreed) => isAgreed && frame.close());
  }
  const leaveInstead = (event) => {
    event.preventDefault();
    leave();
  };
  // Chromium closes a dialog without the event cancel if the user presses Esc twice.
  node.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && leaveInstead(event));
  node.addEventListener("cancel", leaveInstead);
  // The second press of a double click that opened the dialog selects no text.
  let wasPressed = false;
  node.addEventListener("mousedown", (event) => {
    wasPressed ||= event.detail === 1;
    if (!wasPressed) event.preventDefault();
  });
  // The message is about what was there before.
  node.addEventListener("input", () => (node.querySelector(".status").textContent = ""));
  document.body.append(node);
  node.showModal();
  heading.focus();
  return frame;
}

// Asks a question. Resolves to whether the user agrees.
function confirmation(title, no, yes, lead) {
  const frame = dialog(title);
  let isAgreed = false;
  frame.content.append(form({
    fields: lead ? [h("p", null, lead)] : [],
    buttons: [button(no, frame.close), submit(yes, "danger")],
    action: () => {
      isAgreed = true;
      frame.close();
    },
  }));
  return new Promise((resolve) => frame.node.addEventListener("close", () => resolve(isAgreed)));
}

const gainsRights = (before, after) => isPrivileged(after) && after !== before && before !== "superAdmin";
const confirmRole = (name, role) => confirmation(t("giveRoleTitle", { name, role: nameOfRole(role) }), t("cancel"), t("giveRole"), t(role === "admin" ? "giveAdmin" : "giveSuperAdmin"));

function createUser(typed = {}) {
  const frame = dialog(t("newUser"));
  const name = h("input", { name: "name", required: true, autocomplete: "off" });
  const email = h("input", { type: "email", name: "email", required: true, autocomplete: "off" });
  const password = passwordFields();
  const role = select(roles("user"), "user", { name: "role" });
  frame.content.append(form({
    fields: [field(t("name"), name), field(t("email"), email), password.node, isSuper() && field(t("role"), role)],
    buttons: [button(t("cancel"), frame.leave), submit(t("create"))],
    agreed: () => !gainsRights("user", role.value) || confirmRole(name.value.trim(), role.value),
    action: async () => {
      const { data } = await call("POST", "", { body: { name: name.value.trim(), email: email.value.trim(), password: password.input.value, role: isSuper() ? role.value : "user" } });
      frame.close();
      // Search and filters may hide the user.
      const open = h("button", { type: "button", "data-user": data.id, onclick: () => {
        showUser(data.id);
        toast.replaceChildren();
      } }, t("open"));
      tell(t("createdUser", { name: nameOf(data) }), { link: open });
      list.refresh();
    },
  }));
  enterTyped(typed, [name, email, role]);
  name.focus();
  return true;
}

function banUser(user, ask, done, typed = {}) {
  const frame = dialog(t("banTitle", { name: nameOf(user) }));
  const reason = h("input", { name: "reason", autocomplete: "off", maxlength: 500 });
  const until = select([["", t("forever")], ["1", t("day.1")], ["7", t("day.7")], ["30", t("day.30")], ["date", t("date")]], "", { name: "until" });
  const date = h("input", { type: "datetime-local", name: "date", max: "9999-12-31T23:59" });
  const dateField = field(t("dateAndTime"), date);
  dateField.hidden = true;
  until.addEventListener("change", () => {
    dateField.hidden = until.value !== "date";
    date.required = !dateField.hidden;
  });
  date.check = () => {
    if (dateField.hidden) return "";
    const end = new Date(date.value);
    return end <= new Date() ? t("past") : end < Date.UTC(10000, 0) ? "" : t("tooFar");
  };
  const expires = () => (until.value === "" ? null : (until.value === "date" ? new Date(date.value) : new Date(Date.now() + Number(until.value) * 86400000)).toISOString());
  frame.content.append(form({
    fields: [field(t("reason"), reason, { hint: t("reasonHint") }), hasExtras && [field(t("until"), until), dateField]],
    buttons: [button(t("cancel"), frame.leave), submit(t("ban"), "danger")],
    action: async () => {
      const text = reason.value.trim();
      if (hasExtras) await ask("PUT", "/ban", { reason: text || null, expires: expires() });
      else await ask("PUT", "", text ? { banned: true, banReason: text } : { banned: true });
      frame.close();
      await done(t("bannedNow", { name: nameOf(user) }), { endsSessions: changesEndSessions });
    },
  }));
  enterTyped(typed, [reason, until, date]);
  reason.focus();
}

function setPassword(user, ask, done) {
  const frame = dialog(t("passwordTitle", { name: nameOf(user) }));
  const password = passwordFields();
  frame.content.append(form({
    fields: [password.node, h("p", { class: "muted small" }, t("passwordEnds"))],
    buttons: [button(t("cancel"), frame.leave), submit(t("setPassword"))],
    action: async () => {
      await ask("PUT", "/password", { password: password.input.value });
      frame.close();
      await done(t("passwordSet"), { endsSessions: true });
    },
  }));
  password.input.focus();
}

function resetFactor(user, ask, done) {
  const frame = dialog(t("resetFactorTitle", { name: nameOf(user) }));
  frame.content.append(form({
    fields: [h("p", null, t("resetFactorLead"))],
    buttons: [button(t("cancel"), frame.leave), submit(t("resetFactor"), "danger")],
    action: async () => {
      await ask("DELETE", "/second-factor");
      frame.close();
      await done(t("factorReset"), { endsSessions: true });
    },
  }));
}

function removeUser(user, ask, done) {
  const frame = dialog(t("removeTitle", { name: nameOf(user) }));
  const hasEmail = visible(user.email) !== "";
  const wanted = hasEmail ? user.email : user.id;
  const lead = h("p", { id: newId() }, t(hasEmail ? "removeLead" : "removeLeadById"), " ", h("strong", null, wanted));
  const address = h("input", { name: "address", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true });
  address.isEdited = () => false;
  // Users cannot type invisible characters.
  address.check = () => (visible(address.value) === visible(wanted) ? "" : t(hasEmail ? "notTheAddress" : "notTheId"));
  frame.content.append(form({
    fields: [lead, field(t(hasEmail ? "email" : "id"), address)],
    buttons: [button(t("cancel"), frame.leave), submit(t("remove"), "danger")],
    action: async () => {
      await ask("DELETE", "");
      frame.close();
      await done();
    },
  }));
  address.focus();
}

function deviceOf(agent) {
  if (!agent) return t("unknownDevice");
  const first = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = first([[/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"]]);
  const system = first([[/Windows/, "Windows"], [/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]]);
  return browser && system ? t("on", { browser, system }) : (browser ?? agent.slice(0, 60));
}
