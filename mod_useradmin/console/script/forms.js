// Forms.

function field(label, input, { hint, beside } = {}) {
  input.id ||= newId();
  const wrong = h("p", { class: "wrong", id: newId() });
  const hintId = hint ? newId() : null;
  input.setAttribute("aria-describedby", [hintId, wrong.id].filter(Boolean).join(" "));
  input.complain = (text) => {
    wrong.textContent = text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("input", () => input.complain(""));
  const initial = input.value;
  input.isEdited ??= () => input.value !== initial;
  return h("div", { class: "field" }, h("label", { for: input.id }, label), beside ? h("div", { class: "with-button" }, input, beside) : input, hint && h("p", { class: "hint", id: hintId }, hint), wrong);
}
function complaintOf(input) {
  if (input.isStored && !input.isEdited()) return "";
  if (input.required && input.value.trim() === "") return t(`missing.${input.name}` in texts ? `missing.${input.name}` : "missing");
  if (input.type === "email" && input.value && !/^[^\s@]+@[^\s@]+$/.test(input.value)) return t("noEmail");
  if (input.dataset.bounded && (input.value.length < shortest || input.value.length > longest)) return t("length", { least: shortest, most: longest });
  return input.check?.() ?? "";
}
const addressTaken = "El email ya está registrado";
// A form that runs the action once all fields are valid and the user has agreed. Errors appear above the buttons; that an address is
// taken appears at its field.
function form({ fields, buttons, action, attributes, agreed = () => true }) {
  const alert = h("div", { class: "notice bad", role: "alert" });
  const node = h("form", { novalidate: true, ...attributes }, fields, alert, h("div", { class: "actions" }, buttons));
  let isBusy = false;
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const inputs = [...node.querySelectorAll("input, select")];
    for (const input of inputs) input.complain?.(complaintOf(input));
    const first = inputs.find((input) => input.getAttribute("aria-invalid"));
    if (first) return first.focus();
    if (!(await agreed())) return;
    const button = node.querySelector("button[type=submit]");
    alert.replaceChildren();
    isBusy = true;
    button.setAttribute("aria-busy", "true");
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.said !== addressTaken) return alert.replaceChildren(error.message);
      const email = inputs.find((input) => input.name === "email");
      email.complain(error.message);
      email.focus();
    } finally {
      isBusy = false;
      button.removeAttribute("aria-busy");
    }
  });
  return node;
}
const bareButton = (name, label, onclick) => h("button", { type: "button", class: "bare", "aria-label": label, title: label, onclick }, icon(name));
const copy = (text) => () => text() && navigator.clipboard.writeText(text()).then(() => tell(t("copied")), () => tell(t("notCopied")));
// Browsers offer the clipboard only to secure pages.
const canCopy = navigator.clipboard !== undefined;
const submit = (text, kind = "main") => h("button", { type: "submit", class: kind }, text);
// Marks the button as busy until its action ends.
const busy = (action) => async (event) => {
  const node = event.currentTarget;
  const end = action(event);
  if (!(end instanceof Promise)) return;
  node.setAttribute("aria-busy", "true");
  await end.finally(() => node.removeAttribute("aria-busy"));
};
const button = (text, action, kind = "") => h("button", { type: "button", class: kind, onclick: busy(action) }, text);
const select = (options, value, attributes) => {
  const node = h("select", attributes, options.map(([key, text]) => h("option", { value: key }, text)));
  node.value = value;
  return node;
};
function passwordFields() {
  const input = h("input", { type: "password", name: "password", autocomplete: "new-password", required: true, "data-bounded": "yes" });
  const shown = button(t("show"), () => reveal(input.type === "password"));
  function reveal(isShown) {
    input.type = isShown ? "text" : "password";
    shown.textContent = t(isShown ? "hide" : "show");
  }
  const generate = button(t("generate"), () => {
    const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    // 224 is the largest multiple of 56 in a byte. Higher values would favour the first letters.
    const bytes = [];
    while (bytes.length < 20) bytes.push(...[...crypto.getRandomValues(new Uint8Array(32))].filter((byte) => byte < 224));
    input.value = bytes.slice(0, 20).map((byte) => letters[byte % 56]).join("").replace(/.{5}(?=.)/g, "$&-");
    input.complain("");
    reveal(true);
  });
  const copied = canCopy && bareButton("copy", t("copyPassword"), copy(() => input.value));
  return { input, node: field(t("password"), input, { hint: t("passwordHint", { least: shortest, most: longest }), beside: [shown, generate, copied] }) };
}
const roles = (current) => [...new Set(["user", "admin", "superAdmin", current])].map((role) => [role, nameOfRole(role)]);
