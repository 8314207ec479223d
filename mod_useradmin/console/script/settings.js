// The console sends requests only to the service at data-base and to the sign-in endpoints. It creates DOM nodes without parsing markup, so user data never
// becomes markup.

// The attributes that page.html sets.
const service = /** @type {Record<string, string>} */ (document.documentElement.dataset);
const hasExtras = service.extras === "on";
const hasHistory = hasExtras && service.history === "on";
// The kinds of links that the service sends by mail.
const links = service.links.split(" ");
const canSignIn = service.signIn !== "";
// better-auth's limits for the length of a password.
const shortest = 8;
const longest = 128;
const days = 14;
const maxLimit = Number(service.maxLimit);
const changesEndSessions = service.endsSessions === "on";
const cacheSeconds = Number(service.applicationCache);
const limits = [Math.min(20, maxLimit), ...[50, 100].filter((limit) => limit <= maxLimit)];
