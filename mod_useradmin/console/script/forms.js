// Forms: inputs, their messages, and passwords.

/**
 * The state of an input in its field. If isStored is set, the initial value is the stored one, and the input is validated only if edited.
 * @typedef {{ complain?: (text: string) => void, isEdited?: () => boolean, isStored?: boolean, check?: () => string }} FieldState
 */
/** @typedef {(HTMLInputElement | HTMLSelectElement) & FieldState} Input */

/** @type {(place: ParentNode) => Input[]} */
const inputsIn = (place) => [.../** @type {NodeListOf<Input>} */ (place.querySelectorAll("input, select"))];
/** @type {(...places: ParentNode[]) => Input[]} */
const editsIn = (...places) => places.flatMap(inputsIn).filter((input) => input.isEdited?.());

/**
 * @param {string} label
 * @param {Input} input
 * @param {{ hint?: string, beside?: Child }} parts
 */
function field(label, input, { hint, beside } = {}) {
  input.id ||= newId();
  const wrong = h("p", { class: "wrong", id: newId() });
  const hintId = hint ? newId() : null;
  input.setAttribute("aria-describedby", joined([hintId, wrong.id]));
  /** @param {string} text */
  const complain = (text) => {
    wrong.textContent = text;
    input.ariaInvalid = text ? "true" : null;
  };
  input.complain = complain;
  input.addEventListener("input", () => complain(""));
  const initial = input.value;
  input.isEdited ??= () => input.value !== initial;
  return h("div", { class: "field" }, h("label", { for: input.id }, label), beside ? h("div", { class: "with-button" }, input, beside) : input, hint && h("p", { class: "hint", id: hintId }, hint), wrong);
}
/** @param {Input} input */
function complaintOf(input) {
  if (input.disabled || (input.isStored && !input.isEdited?.())) return "";
  const missing = `missing.${input.name}`;
  if (input.required && input.value.trim() === "") return t(isText(missing) ? missing : "missing");
  if (input.type === "email" && input.value && !/^[^\s@]+@[^\s@]+$/.test(input.value)) return t("noEmail");
  if (input.dataset.bounded && (input.value.length < shortest || input.value.length > longest)) return t("length", { least: shortest, most: longest });
  return input.check?.() ?? "";
}
const addressTaken = "El email ya está registrado";
/**
 * A form that runs the action once all fields are valid and the user has agreed. Errors appear above the buttons. If
 * another user has the email address, the error appears next to the email field.
 * @param {{ fields: Child, buttons: Child, action: () => unknown, agreed?: () => boolean | Promise<boolean> }} parts
 */
function form({ fields, buttons, action, agreed = () => true }) {
  const alert = alertBox();
  const node = h("form", { novalidate: true }, fields, alert, actions(buttons));
  let isBusy = false;
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const inputs = inputsIn(node);
    for (const input of inputs) input.complain?.(complaintOf(input));
    const first = inputs.find((input) => input.ariaInvalid);
    if (first) return first.focus();
    if (!(await agreed())) return;
    alert.replaceChildren();
    isBusy = true;
    try {
      await whileBusy(node.querySelector("button[type=submit]"), action());
    } catch (error) {
      const { key, message } = problemOf(error);
      const email = inputs.find((input) => input.name === "email");
      if (key !== addressTaken || !email) return alert.replaceChildren(message);
      email.complain?.(message);
      email.focus();
    } finally {
      isBusy = false;
    }
  });
  return node;
}
/** @type {(name: keyof typeof shapes, label: string, onclick: () => unknown) => HTMLElement} */
const bareButton = (name, label, onclick) => h("button", { type: "button", class: "bare", "aria-label": label, title: label, onclick }, icon(name));
/** @param {() => string} text */
const copy = (text) => () => text() && navigator.clipboard.writeText(text()).then(() => tell(t("copied")), () => tell(t("notCopied")));
// Browsers offer the clipboard only in secure contexts.
const canCopy = navigator.clipboard !== undefined;
/** @param {string} text */
const submit = (text, kind = "main") => h("button", { type: "submit", class: kind }, text);
/**
 * Marks the node as busy until the promise is settled.
 * @param {Element | null} node
 * @param {unknown} end
 */
async function whileBusy(node, end) {
  if (node && end instanceof Promise) node.ariaBusy = "true";
  try {
    await end;
  } finally {
    if (node) node.ariaBusy = null;
  }
}
/**
 * Returns a listener that runs the action and marks the button as busy until the action ends.
 * @param {() => unknown} action
 */
const busy = (action) => (/** @type {MouseEvent} */ event) => whileBusy(/** @type {Element} */ (event.currentTarget), action());
/**
 * @param {string} text
 * @param {() => unknown} action
 */
const button = (text, action, kind = "") => h("button", { type: "button", class: kind, onclick: busy(action) }, text);
/** @typedef {[value: string, text: string]} Choice */
/**
 * @param {Choice[]} choices
 * @param {string} value
 * @param {Attributes} attributes
 */
const select = (choices, value, attributes) => {
  const node = h("select", attributes, choices.map(([key, text]) => h("option", { value: key }, text)));
  node.value = value;
  return node;
};
/** @type {(current: string) => Choice[]} */
const roles = (current) => [...new Set(["user", "admin", "superAdmin", current])].map((role) => [role, nameOfRole(role)]);

const nameInput = () => h("input", { name: "name", required: true, autocomplete: "off" });
const emailInput = () => h("input", { type: "email", name: "email", required: true, autocomplete: "off" });
function generatedPassword() {
  const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  // Discard bytes of 224 (the largest multiple of 56 in a byte) and above, because they would favor the first letters.
  const bytes = [];
  while (bytes.length < 20) bytes.push(...[...crypto.getRandomValues(new Uint8Array(32))].filter((byte) => byte < 224));
  return bytes.slice(0, 20).map((byte) => letters[byte % 56]).join("").replace(/.{5}(?=.)/g, "$&-");
}
function passwordFields() {
  /** @type {HTMLInputElement & FieldState} */
  const input = h("input", { type: "password", name: "password", autocomplete: "new-password", required: true, "data-bounded": "yes" });
  const shown = button(t("show"), () => reveal(input.type === "password"));
  /** @param {boolean} isShown */
  function reveal(isShown) {
    input.type = isShown ? "text" : "password";
    shown.textContent = t(isShown ? "hide" : "show");
  }
  const generate = button(t("generate"), () => {
    input.value = generatedPassword();
    input.complain?.("");
    reveal(true);
  });
  const copied = canCopy && bareButton("copy", t("copyPassword"), copy(() => input.value));
  return { input, node: field(t("password"), input, { hint: t("passwordHint", { least: shortest, most: longest }), beside: [shown, generate, copied] }) };
}
/**
 * Enters the values of a draft into the inputs with the same names.
 * @param {Record<string, string>} typed
 * @param {Input[]} inputs
 */
function enterTyped(typed, inputs) {
  for (const input of inputs)
    if (input.name in typed) {
      input.value = typed[input.name];
      input.dispatchEvent(new Event("change"));
    }
}
