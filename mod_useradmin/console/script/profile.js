// The profile of one user: the editable fields.

/** @typedef {"name" | "email" | "role"} ProfileKey */
/** @type {ProfileKey[]} */
const profileKeys = ["name", "email", "role"];

/**
 * An editable field. show() formats the user's value for the input. tell() formats it for messages.
 * @typedef {object} ProfileField
 * @property {string} key
 * @property {string} label
 * @property {Input} input
 * @property {(value: unknown) => string} show
 * @property {(value: unknown) => string} tell
 * @property {ExtraColumn} [extra]
 */

class Profile {
  /** @type {{ name: HTMLInputElement & FieldState, email: HTMLInputElement & FieldState, role: HTMLSelectElement & FieldState }} */
  inputs = { name: nameInput(), email: emailInput(), role: h("select", { name: "role" }) };
  /** @type {ProfileField[]} */
  fields = [
    ...profileKeys.map((key) => ({ key, label: t(key), input: this.inputs[key], show: String, tell: (/** @type {unknown} */ value) => (key === "role" ? nameOfRole : String)(String(value)) })),
    ...extraColumns().filter(({ editable }) => editable).map((extra) => ({
      key: extra.name, label: extra.name, input: extraInput(extra), extra,
      show: (/** @type {unknown} */ value) => extraValue(extra, value), tell: (/** @type {unknown} */ value) => extraText(extra, value, timeFormat),
    })),
  ];
  // The initial values of the inputs. They can differ from the stored ones: browsers drop line breaks and trim email inputs. The object has no prototype,
  // because a column may be named "constructor".
  /** @type {Record<string, string>} */
  shown = Object.create(null);

  constructor() {
    for (const { key, input } of this.fields) {
      input.isStored = true;
      input.isEdited = () => input.value !== this.shown[key] || input.validity.badInput;
    }
  }

  /**
   * Shows the user as just read, but keeps typed input. Returns descriptions of what others have changed.
   * @param {User | null} before
   * @param {User} fresh
   */
  take(before, fresh) {
    const changes = [];
    for (const { key, label, input, show, tell } of this.fields) {
      const edited = before && input.value !== this.shown[key] ? input.value : null;
      const value = valueIn(fresh, key);
      if (before && show(valueIn(before, key)) !== show(value)) changes.push(t("changedTo", { field: label, value: brief(tell(value)) }));
      if (key === "role") input.replaceChildren(...roles(fresh.role).map(([value, text]) => h("option", { value }, text)));
      input.value = show(value);
      this.shown[key] = input.value;
      if (edited !== null) input.value = edited;
    }
    return changes;
  }

  // Returns the values of all inputs, the changed values, and the body of a request that saves the changes.
  edited() {
    const typed = Object.fromEntries(this.fields.map(({ key, input }) => [key, input.value]));
    /** @type {Record<string, string>} */
    const sent = Object.create(null);
    /** @type {NonNullable<RequestBody<"update">["data"]>} */
    const data = {};
    /** @type {{ [Key in ProfileKey]?: string } & { data?: typeof data }} */
    const body = {};
    for (const { key, extra } of this.fields) {
      const text = typed[key].trim();
      if (text === this.shown[key].trim() || (key === "role" && !isSuper())) continue;
      sent[key] = text;
      if (extra) body.data = Object.assign(data, { [key]: extraData(extra, text) });
      else Object.assign(body, { [key]: text });
    }
    return { typed, sent, body };
  }

  /**
   * Marks the sent values as saved. Keeps what has been typed in the meantime.
   * @param {ReturnType<Profile["edited"]>} edits
   */
  settle({ typed, sent }) {
    for (const { key, input } of this.fields) {
      this.shown[key] = sent[key] ?? this.shown[key];
      if (input.value === typed[key]) input.value = this.shown[key];
    }
  }

  /** @param {User} user */
  #endsOwnSessions(user) {
    const { body } = this.edited();
    return isSelf(user) && changesEndSessions && ("role" in body || "email" in body);
  }

  /**
   * @param {User} user
   * @param {() => Promise<void>} action
   */
  form(user, action) {
    const { name, email, role } = this.inputs;
    const node = form({
      fields: [field(t("name"), name), field(t("email"), email), isSuper() && field(t("role"), role, { hint: isSelf(user) ? t("ownRole") : undefined }),
        this.fields.filter(({ extra }) => extra).map(({ label, input }) => field(label, input))],
      buttons: submit(t("save")),
      agreed: () => (gainsRights(this.shown.role, role.value) ? confirmRole(nameOf(user), role.value) : !this.#endsOwnSessions(user) || confirmEndOfOwn()),
      action,
    });
    node.setAttribute("aria-label", t("profile"));
    return h("section", null, h("h3", null, t("profile")), node);
  }
}
