// The console. It sends requests to the service at data-base and the sign-in endpoints only. It creates every DOM node itself,
// so user data never becomes markup.
// The page has all of these attributes.
const service = /** @type {Record<string, string>} */ (document.documentElement.dataset);
const hasExtras = service.extras === "on";
const hasHistory = hasExtras && service.history === "on";
// The kinds of links that are sent by mail.
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
