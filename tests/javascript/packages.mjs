// Copied next to node_modules in the work directory: Node.js resolves imports from the importing file's directory upward.
export const load = (name) => import(name);
