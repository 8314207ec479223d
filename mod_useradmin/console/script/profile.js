// The profile of one user: the fields that are edited.

/** @typedef {"name" | "email" | "role"} ProfileKey */
/** @type {ProfileKey[]} */
const profileKeys = ["name", "email", "role"];

// The inputs of a user's profile, and their initial values. Inputs drop line ends, and e-mail inputs trim spaces.
class Profile {
  /** @type {{ name: HTMLInputElement & FieldState, email: HTMLInputElement & FieldState, role: HTMLSelectElement & FieldState }} */
  inputs = { name: nameInput(), email: emailInput(), role: h("select", { name: "role" }) };
  shown = { name: "", email: "", role: "" };

  constructor() {
    for (const key of profileKeys) {
      this.inputs[key].isStored = true;
      this.inputs[key].isEdited = () => this.inputs[key].value !== this.shown[key];
    }
  }

  /**
   * Shows the user as just read, but keeps typed input. Returns descriptions of what others have changed.
   * @param {User | null} before
   * @param {User} fresh
   */
  take(before, fresh) {
    const changes = [];
    for (const key of profileKeys) {
      const input = this.inputs[key];
      const edited = before && input.value !== this.shown[key] ? input.value : null;
      if (before && before[key] !== fresh[key]) changes.push(t("changedTo", { field: t(key), value: brief(key === "role" ? nameOfRole(fresh[key]) : fresh[key]) }));
      if (key === "role") input.replaceChildren(...roles(fresh.role).map(([value, text]) => h("option", { value }, text)));
      input.value = fresh[key];
      this.shown[key] = input.value;
      if (edited !== null) input.value = edited;
    }
    return changes;
  }

  // Returns what is typed, and a request's body with what differs.
  edited() {
    const { name, email, role } = this.inputs;
    const typed = { name: name.value, email: email.value, role: role.value };
    /** @type {{ [Key in ProfileKey]?: string }} */
    const body = {};
    for (const key of profileKeys)
      if (typed[key].trim() !== this.shown[key].trim() && (key !== "role" || isSuper())) body[key] = typed[key].trim();
    return { typed, body };
  }

  /**
   * Notes that the body has been saved. Keeps what has been typed in the meantime.
   * @param {ReturnType<Profile["edited"]>} edits
   */
  settle({ typed, body }) {
    for (const key of profileKeys) {
      this.shown[key] = body[key] ?? this.shown[key];
      if (this.inputs[key].value === typed[key]) this.inputs[key].value = this.shown[key];
    }
  }

  /**
   * @param {User} user
   * @param {() => Promise<void>} action
   */
  form(user, action) {
    const { name, email, role } = this.inputs;
    const node = form({
      fields: [field(t("name"), name), field(t("email"), email), isSuper() && field(t("role"), role, { hint: isSelf(user) ? t("ownRole") : undefined })],
      buttons: submit(t("save")),
      agreed: () => !gainsRights(this.shown.role, role.value) || confirmRole(nameOf(user), role.value),
      action,
    });
    node.setAttribute("aria-label", t("profile"));
    return h("section", null, h("h3", null, t("profile")), node);
  }
}
