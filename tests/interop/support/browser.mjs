// A browser that uses better-auth's client, at this httpd's sign-in address and at the application.
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
 * Opens a browser: {here, there, jar, replies, cookie()}. `here` and `there` are clients with these plugins. They share
 * the cookies, which are kept by hand.
 */
export const openBrowser = async (site, plugins = []) => {
  const { createAuthClient } = await load(`${site.version.packageName}/client`);
  const jar = new Map();
  const replies = [];
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const client = (origin, options = {}) =>
    createAuthClient({
      baseURL: `${origin}${path}`,
      plugins,
      fetchOptions: {
        onRequest: (context) => {
          // Every browser sends it; without it the library, too, refuses what Node.js marks as a page's request.
          context.headers.set("origin", origin);
          if (jar.size > 0) context.headers.set("cookie", cookie());
        },
        onResponse: ({ response }) => {
          replies.push(response);
          for (const header of response.headers.getSetCookie()) {
            const [pair, ...attributes] = header.split(";").map((part) => part.trim());
            const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
            if (value === "" || attributes.some((attribute) => /^max-age=0$/i.test(attribute)))
              jar.delete(name);
            else jar.set(name, value);
            site.log.keepSecret(value);
          }
        },
        ...options,
      },
    });
  const here = client(site.httpd.address);
  const there = client(site.application.options.baseURL, {
    customFetchImpl: (url, request) => site.application.auth.handler(new Request(url, request)),
  });
  return { here, there, jar, replies, cookie };
};

/** A reply's cookies with their attributes, without those whose values differ from reply to reply. */
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
