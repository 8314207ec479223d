// The drawer with a user's profile, access and sessions, and the dialog that creates a user.

class Drawer {
  profile = new Profile();
  #pills = h("span", { class: "pills" });
  #facts = h("dl", { class: "facts" });
  #access = h("section");
  #end = h("section");
  #readings = 0;
  #isBusy = false;

  /**
   * @param {string} id
   * @param {User | null} known the user as the list shows it
   */
  constructor(id, known) {
    /** @type {User | null} */
    this.user = null;
    this.id = id;
    this.frame = dialog("…", "drawer");
    this.frame.node.user = id;
    this.frame.close = () => this.close();
    this.frame.content.append(h("p", { class: "muted" }, t("loading")));
    this.frame.place.append(this.#pills);
    this.frame.place.before(avatar(known ?? { name: "", email: "" }, "large"));
    if (canCopy) this.frame.place.after(bareButton("link", t("copyLink"), copy(() => addressWith(new URLSearchParams({ user: id })))));
    this.sessions = new Sessions({ id }, (action) => this.#press(action), (text, effects) => this.#done(text, effects, true));
    this.methods = new SignInMethods({ id }, (method) => this.user && removeMethod(this.#task(this.user), method));
    this.history = new UserHistory({ id });
    if (known) this.#paintHead(known);
  }

  /**
   * Closes the drawer. If it has a history entry, goes back to the previous one.
   * @returns {Promise<unknown>}
   */
  close() {
    const { node } = this.frame;
    if (!node.open) return Promise.resolve();
    return new Promise((resolve) => {
      node.addEventListener("close", resolve);
      if (history.state !== "opened") {
        node.close();
        return writeAddress(false);
      }
      if (!node.isLeft) history.back();
      node.isLeft = true;
    });
  }

  /**
   * Reads and shows the user, with the values and the entity tag of a draft. Keeps the draft if the user could not be read.
   * @param {ReturnType<typeof draftOf>} draft
   * @returns {Promise<void>}
   */
  async fill(draft) {
    const { heading, content, node } = this.frame;
    const sessionsRead = isSuper() && hasExtras ? this.sessions.load() : null;
    try {
      await this.#load();
      node.tag = draft?.tag ?? node.tag;
    } catch (error) {
      const { message } = problemOf(error);
      heading.textContent = t("user");
      return content.replaceChildren(alertBox([message, button(t("reload"), () => this.fill(draft).then(() => heading.focus()))]));
    }
    const { user } = this;
    content.replaceChildren(this.#facts, user && mayEdit(user) ? this.profile.form(user, this.#guarded(() => this.#save())) : "", this.#access);
    if (sessionsRead) content.append(this.sessions.node);
    Promise.resolve(sessionsRead).then(() => content.append(sessionsRead ? this.methods.node : "", isSuper() && hasHistory ? this.history.node : "", this.#end));
    if (!draft) return;
    enterTyped(draft.typed, this.profile.fields.map(({ input }) => input));
    if (user && ("reason" in draft.typed || "until" in draft.typed)) banUser(this.#task(user), draft.typed);
    endDraft();
  }

  // If two loads overlap, only the later one takes effect. If keepsEdits is set, edits still apply to the values read earlier.
  async #load(keepsEdits = false) {
    const mine = ++this.#readings;
    const { data, tag } = await readUser(this);
    if (mine !== this.#readings) return [];
    this.#paint(data);
    list?.update(data);
    if (keepsEdits && editsIn(this.frame.node).length) return [];
    const changes = this.profile.take(this.user, data);
    this.user = data;
    this.frame.node.tag = tag;
    return changes;
  }
  /**
   * Sends a change of the user's row. Resolves to the new entity tag.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {string} [tag]
   */
  async #send(method, path, body, tag = this.frame.node.tag) {
    const response = await call(method, pathOf(this) + path, { tag, body });
    // Store the new tag now, because the reload may fail.
    this.frame.node.tag = response.tag ?? this.frame.node.tag;
    return response.tag;
  }

  /**
   * Reloads the user and reports success, even if the user can no longer be read.
   * @param {string} text
   * @param {Effects} [effects]
   * @param {boolean} [keepsEdits]
   */
  async #done(text, effects, keepsEdits) {
    // An earlier error would contradict the success.
    this.frame.notice.replaceChildren();
    try {
      await this.#load(keepsEdits);
      // A new password or a ban may have ended the sessions.
      await Promise.all([this.sessions.node.isConnected && this.sessions.load(), this.methods.refresh(), this.history.refresh()]);
    } catch (error) {
      const { status, message } = problemOf(error);
      // The change may have ended the caller's own session. If another caller has signed in since, report nothing.
      if (status === 401 && caller) return;
      this.frame.notice.replaceChildren(message);
    }
    tell(text, effects);
    list?.refresh(effects);
  }

  /**
   * Returns the task of a dialog. Its requests send the current entity tag. If the user has changed, they reload the user and
   * fail. The next request then sends the new tag.
   * @param {User} user
   * @returns {Task}
   */
  #task(user) {
    let { tag } = this.frame.node;
    return {
      user,
      ask: async (method, path, body) => {
        try {
          return await this.#send(method, path, body, tag);
        } catch (error) {
          const problem = problemOf(error);
          if (problem.status === 412) {
            problem.message = joined([problem.message, ...(await this.#load().catch(() => []))]);
            tag = this.frame.node.tag;
            user = this.user ?? user;
          }
          throw problem;
        }
      },
      done: (text, effects) => this.#done(text, effects),
      undo: (after) => this.#undo(user, after),
    };
  }

  /**
   * Returns a function that runs the action. If the user has changed, it offers to reload the user.
   * @param {() => unknown} action
   */
  #guarded(action) {
    const { notice, status: success } = this.frame;
    return async () => {
      try {
        notice.replaceChildren();
        await action();
      } catch (error) {
        // A success message would contradict the error. Keep a button, such as Undo, for another attempt.
        if (!success.querySelector("button")) success.textContent = "";
        const { status, message } = problemOf(error);
        if (status !== 412) throw error;
        const again = button(t("loadKeeping"), () => this.#attempt(() => this.#loadKeeping()));
        notice.replaceChildren(message, again);
        again.focus();
      }
    };
  }
  /**
   * Runs an action outside a form. Shows an error in the drawer.
   * @param {() => unknown} action
   */
  async #attempt(action) {
    await this.#guarded(action)().catch((error) => this.frame.notice.replaceChildren(problemOf(error).message));
  }
  /**
   * Runs a button's action. Ignores further clicks until it ends.
   * @param {() => unknown} action
   */
  async #press(action) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#attempt(action).finally(() => (this.#isBusy = false));
  }
  async #loadKeeping() {
    const changes = await this.#load();
    this.frame.notice.replaceChildren();
    tell(joined([editsIn(this.frame.node).length > 0 && t("restored"), ...changes]));
    this.profile.inputs.name.focus();
  }

  /** @param {string} address */
  async #isTaken(address) {
    const { data } = await readList({ match: "all", limit: String(limits.at(-1)), search: address });
    return data.some((each) => each.id !== this.id && asCompared(each.email) === asCompared(address));
  }
  async #save() {
    const { user } = this;
    const edits = this.profile.edited();
    /** @type {RequestBody<"update">} */
    const body = edits.body;
    if (!user || !Object.keys(body).length) return tell(t("unchanged"));
    try {
      await this.#send("PUT", "", body);
    } catch (error) {
      const problem = problemOf(error);
      // The service also returns 500 if another user has the address.
      if (problem.status === 500 && body.email !== undefined) {
        if (await this.#isTaken(body.email)) throw new Problem(400, addressTaken);
        problem.message = joined([problem.message, t("perhapsTaken")]);
      }
      throw problem;
    }
    this.profile.settle(edits);
    this.user = { ...user, ...edits.body, ...edits.body.data };
    await this.#done(t("saved"), { endsSessions: changesEndSessions && ("role" in body || "email" in body), changesCounts: "email" in body });
    if (caller && isSelf(user)) listener.selfChanged(this.user, "role" in body);
  }
  /** @param {User} user */
  async #unban(user) {
    const [method, path, body] = unbanChange();
    const tag = await this.#send(method, path, body);
    await this.#done(t("unbannedNow"), { link: isBanned(user) && this.#undo(user, tag) });
  }
  /**
   * Returns a button that restores the previous state of a user's ban, unless the user has changed since.
   * @param {User} user before the change
   * @param {string} [tag]
   */
  #undo(user, tag) {
    const [method, path, body] = restoreBan(user);
    return button(t("undo"), () => this.#press(async () => {
      await this.#send(method, path, body, tag);
      await this.#done(restoredText(user), { endsSessions: isBanned(user) && changesEndSessions });
      // The pressed button was removed with its message, so focus another button.
      if (document.activeElement === document.body) [...this.#access.querySelectorAll("button")].at(-1)?.focus();
    }));
  }
  /**
   * @param {User} user
   * @param {string} kind
   */
  async #sendLink(user, kind) {
    await this.#send("POST", `/${kind}-link`);
    await this.#done(t("linkSent", { email: user.email }));
  }
  /** @param {User} user */
  async #removed(user) {
    await this.close();
    tell(t("removed", { name: nameOf(user) }), { endsSessions: true });
    list?.deselect(user);
    list?.refresh();
  }

  /**
   * Replaces the children of an element. Keeps the focus on the button at the same position.
   * @param {Element} part
   * @param {Node[]} children
   */
  #renew(part, ...children) {
    const at = [...part.querySelectorAll("button")].findIndex((each) => each === document.activeElement);
    part.replaceChildren(...children);
    if (at >= 0) (part.querySelectorAll("button")[at] ?? this.frame.heading).focus();
  }
  /** @param {User} user */
  #paintHead(user) {
    this.frame.heading.textContent = nameOf(user);
    this.#pills.replaceChildren();
    fill(this.#pills, null, [rolePill(user.role), statusPills(user), isSelf(user) && pill(t("you")), isProtected(user) && pill(t("protectedUser"))]);
    this.frame.node.querySelector(".head > .avatar")?.replaceWith(avatar(user, "large"));
  }
  /** @param {User} user */
  #paintFacts(user) {
    const banEnd = user.banExpires && timeText(user.banExpires);
    /** @type {[TextKey, Child, copyKey?: TextKey][]} */
    const rows = [
      ["email", user.email, "copyEmail"],
      ["id", user.id, "copyId"],
      ["created", time(user.createdAt, timeFormat)],
      ["updated", time(user.updatedAt, timeFormat)],
      ["emailVerified", t(user.emailVerified ? "yes" : "no")],
    ];
    if (hasExtras) rows.push(["lastSeen", time(user.lastSeenAt, timeFormat)]);
    if (user.banned) rows.push(["banned", banEnd ? t(isBanned(user) ? "bannedUntil" : "banOver", { time: banEnd }) : t("forever")]);
    if (user.banned && user.banReason) rows.push(["banReason", user.banReason]);
    const extra = extraColumns().filter(({ editable }) => !editable || !mayEdit(user)).flatMap((column) =>
      [h("dt", null, column.name), h("dd", null, extraText(column, valueIn(user, column.name), timeFormat))]);
    this.#renew(this.#facts, ...rows.flatMap(([key, value, copyKey]) =>
      [h("dt", null, t(key)), h("dd", null, value, canCopy && copyKey && value && bareButton("copy", t(copyKey), copy(() => String(value))))]), ...extra);
  }
  /** @param {User} user */
  #paint(user) {
    this.#paintHead(user);
    this.#paintFacts(user);
    const mayBan = mayChange() && (!isSelf(user) || user.banned);
    const mayReset = mayChange() && hasExtras;
    this.#access.hidden = !mayBan && !mayReset;
    this.#renew(this.#access, h("header", null, h("h3", null, t("access")), actions(
      mayReset && button(t("setPassword"), () => setPassword(this.#task(user))),
      mayReset && links.includes("password") && button(t("sendPasswordLink"), () => this.#press(() => this.#sendLink(user, "password"))),
      mayReset && links.includes("verification") && !user.emailVerified && button(t("sendVerificationLink"), () => this.#press(() => this.#sendLink(user, "verification"))),
      mayReset && button(t("resetFactor"), () => resetFactor(this.#task(user))),
      mayBan && (user.banned ? button(t("unban"), () => this.#press(() => this.#unban(user))) : button(t("ban"), () => banUser(this.#task(user)), "danger")))));
    this.#end.hidden = !mayDelete(user);
    this.#renew(this.#end, actions(button(t("remove"), () => removeUser(this.#task(user), () => this.#removed(user)), "danger")));
  }
}

/**
 * Opens a user, with the values of a draft. If isNew is set, adds a history entry.
 * @param {string} id
 * @param {{ isNew?: boolean, known?: User | null }} [options]
 */
async function showUser(id, { isNew = true, known = null } = {}) {
  const drawer = new Drawer(id, known);
  if (isNew) writeAddress(true, "opened");
  await drawer.fill(draftOf(id));
}

function createUser(typed = {}) {
  const name = nameInput();
  const email = emailInput();
  const password = passwordFields();
  const role = select(roles("user"), "user", { name: "role" });
  const canInvite = links.includes("password");
  const offerPassword = () => {
    password.node.hidden = password.input.disabled = access.value === "invite";
  };
  const access = select([["invite", t("invite")], ["", t("password")]], canInvite ? "invite" : "", { name: "access", onchange: offerPassword });
  offerPassword();
  /** @returns {Promise<ResponseOf<"create">>} */
  const request = () => {
    /** @type {Partial<RequestBody<"create">>} */
    const body = { name: name.value.trim(), email: email.value.trim(), ...(access.value ? { invite: true } : { password: password.input.value }), role: isSuper() ? role.value : "user" };
    return call("POST", "", { body });
  };
  formDialog({
    title: t("newUser"),
    fields: [field(t("name"), name), field(t("email"), email), canInvite && field(t("access"), access), password.node, isSuper() && field(t("role"), role)],
    label: t("create"),
    agreed: () => !gainsRights("user", role.value) || confirmRole(name.value.trim(), role.value),
    request,
    done: ({ data }) => {
      // Offer a button, because the search or a filter may hide the new user.
      const open = h("button", { type: "button", "data-user": data.id, onclick: () => {
        showUser(data.id);
        toast.replaceChildren();
      } }, t("open"));
      tell(t("createdUser", { name: nameOf(data) }), { link: open });
      list?.refresh();
    },
  });
  enterTyped(typed, [name, email, access, role]);
  name.focus();
}
