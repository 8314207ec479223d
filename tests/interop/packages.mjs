// Copied next to node_modules in the work folder, because imports are resolved from the importing file upwards.
export const load = (name) => import(name);
