// A browser that uses better-auth's client with this httpd's sign-in address and with the application.
import { secret } from "./applications.mjs";
import { load } from "./machine.mjs";

const path = "/api/auth";

/** The sign-in address. No test reaches the limit. */
export const signInDirectives = `<Location "${path}">
  Require all granted
  AuthUserAdminSignIn On
  AuthUserAdminSecret "${secret}"
  AuthUserAdminSignInLimit 1000 60
</Location>
`;

/**
 * Opens a browser. Returns {here, there, jar, responses, cookie()}. `here` and `there` are clients with these plugins that
 * share the cookie jar.
 */
export const openBrowser = async (site, plugins = []) => {
  const { createAuthClient } = await load(`${site.version.packageName}/client`);
  const jar = new Map();
  const responses = [];
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const client = (origin, options = {}) =>
    createAuthClient({
      baseURL: `${origin}${path}`,
      plugins,
      fetchOptions: {
        onRequest: (context) => {
          // Browsers send Origin. Node.js marks requests as coming from a page, and the library rejects those without Origin.
          context.headers.set("origin", origin);
          if (jar.size > 0) context.headers.set("cookie", cookie());
        },
        onResponse: ({ response }) => {
          responses.push(response);
          for (const header of response.headers.getSetCookie()) {
            const [pair, ...attributes] = header.split(";").map((part) => part.trim());
            const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
            if (value === "" || attributes.some((attribute) => /^max-age=0$/i.test(attribute)))
              jar.delete(name);
            else jar.set(name, value);
            site.log.addSecret(value);
          }
        },
        ...options,
      },
    });
  const here = client(site.httpd.address);
  const there = client(site.application.options.baseURL, {
    customFetchImpl: (url, request) => site.application.auth.handler(new Request(url, request)),
  });
  return { here, there, jar, responses, cookie };
};

/** Returns the attributes of a response's cookies by name, except Expires, which differs between responses. */
export const attributesOf = (headers) =>
  new Map(
    headers.getSetCookie().map((header) => {
      const [pair, ...attributes] = header.split(";").map((part) => part.trim().toLowerCase());
      return [
        pair.split("=", 1)[0],
        attributes.filter((attribute) => !attribute.startsWith("expires=")).toSorted(),
      ];
    }),
  );
