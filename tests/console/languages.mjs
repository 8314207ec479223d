// Tests the languages of the console.
import assert from "node:assert/strict";

import { root, scenesOf, user } from "./support/scene.mjs";
import { password, Site } from "./support/site.mjs";

const site = new Site();
const english = new Site({ directives: "UserAdminLanguage en" });
const scene = scenesOf(site);

scene("the console is Spanish if the browser prefers Spanish", { email: user, languages: ["fr", "es-MX", "en"] }, async (view) => {
  assert.equal(await view.page.evaluate(() => document.documentElement.lang), "es");
  await view.read("Cerrar sesión");
  await view.press("Cerrar sesión");
  await view.read("Has cerrado la sesión.");
  await view.signIn(root);
  await view.read("usuarios en total");
  await view.openUser("barbara.liskov@example.org");
  await view.check("a drawer in Spanish");
});

for (const [language, open, create, text] of [
  ["es", "Nuevo usuario", "Crear usuario", "Otro usuario ya tiene este correo."],
  ["en", "New user", "Create user", "Another user has this email."],
])
  scene(`errors of an English service are shown in the browser's ${language}`, { email: root, site: english, languages: [language] }, async (view) => {
    await view.press(open);
    await view.type("dialog input[name=name]", "Carla Cruz");
    await view.type("dialog input[name=email]", root);
    await view.type("dialog input[name=password]", password);
    await view.press(create);
    await view.read(text, "dialog .field:has(input[name=email]) .wrong");
  });
