// The dialogs that change a user.

/**
 * The user that a dialog changes, with callbacks.
 * @typedef {object} Task
 * @property {User} user
 * @property {(method: string, path: string, body?: unknown) => Promise<string | undefined>} ask resolves to the new entity tag
 * @property {(text: string, effects?: Effects) => Promise<void>} done reports success
 * @property {(tag?: string) => Node} undo returns a button that restores the previous state of the ban
 */

/**
 * Opens a dialog with a form. Closes it once the request has succeeded.
 * @template Sent
 * @param {object} parts
 * @param {string} parts.title
 * @param {Child} parts.fields
 * @param {string} parts.label the text of the submit button
 * @param {string} [parts.kind]
 * @param {() => boolean | Promise<boolean>} [parts.agreed]
 * @param {() => Promise<Sent>} parts.request
 * @param {(response: Sent) => unknown} parts.done
 */
function formDialog({ title, fields, label, kind, agreed, request, done }) {
  const frame = dialog(title);
  frame.content.append(form({
    fields,
    buttons: [button(t("cancel"), frame.leave), submit(label, kind)],
    agreed,
    action: async () => {
      const response = await request();
      frame.close();
      await done(response);
    },
  }));
}

function untilFields() {
  const until = select([["", t("forever")], ["1", t("day.1")], ["7", t("day.7")], ["30", t("day.30")], ["date", t("date")]], "", { name: "until" });
  /** @type {HTMLInputElement & FieldState} */
  const date = h("input", { type: "datetime-local", name: "date", max: "9999-12-31T23:59" });
  const dateField = field(t("dateAndTime"), date);
  dateField.hidden = true;
  until.addEventListener("change", () => (dateField.hidden = until.value !== "date"));
  date.check = () => {
    if (dateField.hidden) return "";
    if (!date.value) return t("noTime");
    const end = new Date(date.value).getTime();
    return end <= Date.now() ? t("past") : end < Date.UTC(10000, 0) ? "" : t("tooFar");
  };
  const end = () => (until.value === "date" ? new Date(date.value) : new Date(Date.now() + Number(until.value) * 86400000));
  return { inputs: [until, date], nodes: [field(t("banExpires"), until), dateField], expires: () => (until.value === "" ? null : end().toISOString()) };
}

/**
 * A request that changes a user. The path is relative to the user's URL. The tag is sent in If-Match.
 * @typedef {[method: string, path: string, body?: unknown, tag?: string]} Change
 */

// Returns the fields of a ban and a function that returns the change.
function banFields() {
  const reason = h("input", { name: "reason", autocomplete: "off", maxlength: 500 });
  const until = untilFields();
  /** @returns {Change} */
  const change = () => {
    const text = reason.value.trim();
    /** @type {RequestBody<"ban">} */
    const ban = { reason: text || null, expires: until.expires() };
    /** @type {RequestBody<"update">} */
    const body = text ? { banned: true, banReason: text } : { banned: true };
    return hasExtras ? ["PUT", "/ban", ban] : ["PUT", "", body];
  };
  return { inputs: [reason, ...until.inputs], nodes: [field(t("banReason"), reason, { hint: t("reasonHint") }), hasExtras && until.nodes], change };
}
/** @returns {Change} */
function unbanChange() {
  /** @type {RequestBody<"update">} */
  const body = { banned: false };
  return hasExtras ? ["DELETE", "/ban"] : ["PUT", "", body];
}
/**
 * Returns the change that restores the user's previous ban, or lifts the ban if there was none.
 * @param {User} user
 * @param {string} [tag]
 * @returns {Change}
 */
function restoreBan(user, tag) {
  const { banReason: reason, banExpires: expires } = user;
  const [method, path, body] = !isBanned(user) ? unbanChange() : hasExtras ? ["PUT", "/ban", { reason, expires }] : ["PUT", "", { banned: true, banReason: reason ?? undefined }];
  return [method, path, body, tag];
}
/**
 * Returns the message to show after restoreBan().
 * @param {User} user
 */
const restoredText = (user) => (isBanned(user) ? t("bannedNow", { name: nameOf(user) }) : joined([t("unbannedNow"), changesEndSessions && t("stayEnded")]));

/**
 * @param {Task} task
 * @param {Record<string, string>} typed
 */
function banUser({ user, ask, done, undo }, typed = {}) {
  const { inputs, nodes, change } = banFields();
  formDialog({
    title: t("banTitle", { name: nameOf(user) }),
    fields: nodes,
    label: t("ban"),
    kind: "danger",
    request: () => {
      const [method, path, body] = change();
      return ask(method, path, body);
    },
    done: (tag) => done(t("bannedNow", { name: nameOf(user) }), { endsSessions: changesEndSessions, link: undo(tag) }),
  });
  enterTyped(typed, inputs);
  inputs[0].focus();
}

/** @param {Task} task */
function setPassword({ user, ask, done }) {
  const password = passwordFields();
  formDialog({
    title: t("passwordTitle", { name: nameOf(user) }),
    fields: [password.node, h("p", { class: "muted small" }, t("endsSessions"))],
    label: t("setPassword"),
    request: () => ask("PUT", "/password", { password: password.input.value }),
    done: () => done(t("passwordSet"), { endsSessions: true }),
  });
  password.input.focus();
}

/**
 * @param {Task} task
 * @param {SignInMethod} method
 */
function removeMethod({ user, ask, done }, method) {
  formDialog({
    title: t("removeMethodTitle", { method: nameOfMethod(method), name: nameOf(user) }),
    fields: h("p", null, t("removeMethodLead")),
    label: t("removeMethod"),
    kind: "danger",
    request: () => removal(ask("DELETE", `/sign-in-methods/${method.kind}/${encodeURIComponent(method.id ?? "")}`)),
    done: () => done(t("removedMethod")),
  });
}

/** @param {Task} task */
function resetFactor({ user, ask, done }) {
  formDialog({
    title: t("resetFactorTitle", { name: nameOf(user) }),
    fields: h("p", null, t("resetFactorLead"), " ", t("endsSessions")),
    label: t("resetFactor"),
    kind: "danger",
    request: () => ask("DELETE", "/second-factor"),
    done: () => done(t("factorReset"), { endsSessions: true }),
  });
}

/**
 * Returns the fields that confirm a deletion. The user must type the given string.
 * @param {TextKey} label
 * @param {string} wanted
 */
function removalFields(label, wanted) {
  /** @type {HTMLInputElement & FieldState} */
  const input = h("input", { name: "address", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true });
  input.isEdited = () => false;
  // Ignore invisible characters, which users cannot type.
  input.check = () => (visible(input.value) === visible(wanted) ? "" : t("notTheSame"));
  return { input, nodes: [h("p", null, t("removeLead"), " ", h("strong", null, wanted)), field(t(label), input)] };
}

/**
 * @param {Pick<Task, "user" | "ask">} task
 * @param {() => unknown} done
 */
function removeUser({ user, ask }, done) {
  const { input, nodes } = visible(user.email) ? removalFields("email", user.email) : removalFields("id", user.id);
  formDialog({
    title: t("removeTitle", { name: nameOf(user) }),
    fields: nodes,
    label: t("remove"),
    kind: "danger",
    request: () => ask("DELETE", ""),
    done,
  });
  input.focus();
}
