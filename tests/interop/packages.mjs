// Is installed beside node_modules in the work folder, since an import looks for a package from its own file upwards.
export const load = (name) => import(name);
