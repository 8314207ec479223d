// Plugins in separate packages. They import the library as "better-auth", but package.json has its releases only under
// aliases.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { packages, work } from "./machine.mjs";

/** Returns the directory of the package that an import of this name in another package resolves to. */
const resolve = (importer, name) =>
  [join(packages, importer, "node_modules", name), join(packages, name)].find(existsSync);

/** Copies the plugin next to a node_modules with this release of the library and the plugin's dependencies. */
const install = (plugin, library) => {
  const folder = join(work, "plugins", `${plugin}+${library}`);
  const copy = join(folder, "plugin");
  cpSync(join(packages, plugin), copy, { recursive: true });
  const { main, dependencies, peerDependencies } = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
  const targets = {};
  for (const name of Object.keys(dependencies)) targets[name] = resolve(plugin, name);
  for (const name of Object.keys(peerDependencies)) targets[name] = resolve(library, name);
  targets["better-auth"] = join(packages, library);
  for (const [name, target] of Object.entries(targets)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    // Node.js resolves symbolic links, so the plugin and the application share one instance of the library.
    symlinkSync(target, link);
  }
  return import(pathToFileURL(join(copy, main)));
};

const loaded = new Map();

/** Loads a plugin with this release of the library. Both are named as in package.json. */
export const loadPlugin = (plugin, library) => {
  const key = `${plugin} ${library}`;
  if (!loaded.has(key)) loaded.set(key, install(plugin, library));
  return loaded.get(key);
};
