// The console. It sends requests to the service at data-base and the sign-in endpoints only. It creates every DOM node itself,
// so user data never becomes markup.
"use strict";
(() => {
  const service = document.documentElement.dataset;
  const hasExtras = service.extras === "on";
  const canSignIn = service.signIn !== "";
  // better-auth's limits for the length of a password.
  const shortest = 8;
  const longest = 128;
  const days = 14;
  const maxLimit = Number(service.maxLimit);
  const changesEndSessions = service.endsSessions === "on";
  const cacheSeconds = Number(service.applicationCache);
  const limits = [Math.min(20, maxLimit), ...[50, 100].filter((limit) => limit <= maxLimit)];

  // --- Texts: English, Spanish. The keys of the service's messages are its Spanish texts; those with other words than the console's are replaced. ---

  const texts = {
    title: ["Users", "Usuarios"],
    signIn: ["Sign in", "Iniciar sesión"],
    signOut: ["Sign out", "Cerrar sesión"],
    signInElsewhere: ["Sign in to the application first, then come back to this page.", "Inicia sesión primero en la aplicación y vuelve después a esta página."],
    sessionOver: ["Your session has ended. Sign in again.", "Tu sesión ha terminado. Inicia sesión de nuevo."],
    signedOut: ["You have signed out.", "Has cerrado la sesión."],
    wrongPassword: ["Wrong e-mail or password.", "Correo o contraseña incorrectos."],
    bannedCaller: ["This account is banned.", "Esta cuenta está bloqueada."],
    secondFactor: ["This account has a second factor. Sign in to the application instead, then load this page again.", "Esta cuenta tiene un segundo factor. Inicia sesión en la aplicación y vuelve a cargar esta página."],
    code: ["Code", "Código"],
    codeHint: ["From your authenticator app, or one of your backup codes.", "De tu aplicación de autenticación, o uno de tus códigos de respaldo."],
    trustDevice: ["Trust this device for 30 days", "Confiar en este dispositivo durante 30 días"],
    wrongCode: ["Wrong code.", "Código incorrecto."],
    locked: ["Too many codes were wrong. Wait 15 minutes and try again.", "Demasiados códigos incorrectos. Espera 15 minutos y vuelve a intentarlo."],
    codeExpired: ["That took too long. Sign in again.", "Ha pasado demasiado tiempo. Inicia sesión de nuevo."],
    tooMany: ["Too many attempts have failed. Wait a minute and try again.", "Demasiados intentos fallidos. Espera un minuto y vuelve a intentarlo."],
    loading: ["Loading …", "Cargando …"],
    reload: ["Load again", "Cargar de nuevo"],
    email: ["E-mail", "Correo"],
    password: ["Password", "Contraseña"],
    name: ["Name", "Nombre"],
    role: ["Role", "Rol"],
    status: ["Status", "Estado"],
    verification: ["E-mail verified", "Correo verificado"],
    created: ["Created", "Creación"],
    updated: ["Last change", "Último cambio"],
    id: ["Identifier", "Identificador"],
    user: ["User", "Usuario"],
    superAdmin: ["Super admin", "Superadministrador"],
    admin: ["Admin", "Administrador"],
    roleOfUser: ["User", "Usuario"],
    you: ["you", "tú"],
    banned: ["Banned", "Bloqueado"],
    notBanned: ["No ban", "Sin bloqueo"],
    hasBan: ["Banned, or ban ended", "Bloqueo, aun terminado"],
    banOver: ["Ban has ended", "Bloqueo terminado"],
    unverified: ["Not verified", "Sin verificar"],
    yes: ["Yes", "Sí"],
    no: ["No", "No"],
    all: ["All", "Todos"],
    protectedUser: ["Cannot be deleted", "No se puede eliminar"],
    total: ["users in all", "usuarios en total"],
    "total.one": ["user in all", "usuario en total"],
    totalOfAdmin: ["users with the role “User”", "usuarios con el rol «Usuario»"],
    "totalOfAdmin.one": ["user with the role “User”", "usuario con el rol «Usuario»"],
    bannedCount: ["{count} banned, ended bans included", "{count} bloqueados, incluidos los bloqueos terminados"],
    "bannedCount.one": ["{count} banned, ended bans included", "{count} bloqueado, incluidos los bloqueos terminados"],
    unverifiedCount: ["{count} not verified", "{count} sin verificar"],
    newByDay: ["New users by day", "Usuarios nuevos por día"],
    newInDays: ["{count} in {days} days", "{count} en {days} días"],
    search: ["Search by name, e-mail or id", "Buscar por nombre, correo o id"],
    sort: ["Order", "Orden"],
    "createdAt desc": ["Newest first", "Más recientes primero"],
    "createdAt asc": ["Oldest first", "Más antiguos primero"],
    "updatedAt desc": ["Latest changes first", "Últimos cambios primero"],
    "name asc": ["Name, A to Z", "Nombre, de la A a la Z"],
    "name desc": ["Name, Z to A", "Nombre, de la Z a la A"],
    "email asc": ["E-mail, A to Z", "Correo, de la A a la Z"],
    "email desc": ["E-mail, Z to A", "Correo, de la Z a la A"],
    newUser: ["New user", "Nuevo usuario"],
    range: ["{from}–{to} of {total}", "{from}–{to} de {total}"],
    found: ["{count} users found", "{count} usuarios encontrados"],
    "found.one": ["{count} user found", "{count} usuario encontrado"],
    readOnly: ["Read-only: this is a copy of the database. The last change it has received is of {time}.", "Solo lectura: esto es una copia de la base de datos. El último cambio que ha recibido es de {time}."],
    noneFound: ["No user matches.", "Ningún usuario coincide."],
    clear: ["Clear search and filters", "Quitar búsqueda y filtros"],
    pages: ["Pages", "Páginas"],
    perPage: ["Per page", "Por página"],
    previous: ["Previous", "Anterior"],
    next: ["Next", "Siguiente"],
    close: ["Close", "Cerrar"],
    cancel: ["Cancel", "Cancelar"],
    save: ["Save changes", "Guardar cambios"],
    saved: ["Saved.", "Guardado."],
    discardTitle: ["Discard what you typed?", "¿Descartar lo escrito?"],
    discard: ["Discard", "Descartar"],
    keepEditing: ["Keep editing", "Seguir editando"],
    restored: ["What you typed before your session ended is still here. It is not saved yet.", "Lo que escribiste antes de que terminara tu sesión sigue aquí. Aún no se ha guardado."],
    unchanged: ["Nothing has changed.", "No hay cambios."],
    giveRoleTitle: ["Give {name} the role “{role}”?", "¿Dar a {name} el rol «{role}»?"],
    giveRole: ["Give the role", "Dar el rol"],
    giveAdmin: ["Admins can list and create users and change their names and e-mails.", "Los administradores pueden ver y crear usuarios y cambiar sus nombres y correos."],
    giveSuperAdmin: ["Super admins can do everything, also change roles, ban and delete.", "Los superadministradores pueden hacerlo todo, también cambiar roles, bloquear y eliminar."],
    create: ["Create user", "Crear usuario"],
    createdUser: ["{name} has been created.", "Se ha creado {name}."],
    open: ["Open", "Abrir"],
    copyEmail: ["Copy the e-mail", "Copiar el correo"],
    copyId: ["Copy the identifier", "Copiar el identificador"],
    copyLink: ["Copy a link to this user", "Copiar un enlace a este usuario"],
    copyPassword: ["Copy the password", "Copiar la contraseña"],
    copied: ["Copied.", "Copiado."],
    notCopied: ["The browser did not allow copying.", "El navegador no ha permitido copiar."],
    profile: ["Profile", "Perfil"],
    ownRole: ["You would lose the rights of your present role.", "Perderías los permisos de tu rol actual."],
    hasChanged: ["Somebody has changed this user in the meantime, and nothing was saved.", "Alguien ha cambiado este usuario mientras tanto y no se ha guardado nada."],
    loadKeeping: ["Load again, keep what I typed", "Cargar de nuevo y conservar lo escrito"],
    loadedAgain: ["Loaded again. What you typed is still there.", "Cargado de nuevo. Lo que escribiste sigue ahí."],
    changedTo: ["{field} is now “{value}”.", "{field} es ahora «{value}»."],
    access: ["Access", "Acceso"],
    ban: ["Ban", "Bloquear"],
    banTitle: ["Ban {name}", "Bloquear a {name}"],
    unban: ["Lift the ban", "Levantar el bloqueo"],
    bannedNow: ["{name} is banned.", "{name} está bloqueado."],
    unbannedNow: ["The ban has been lifted.", "Se ha levantado el bloqueo."],
    reason: ["Reason", "Motivo"],
    reasonHint: ["Administrators see it.", "Lo ven los administradores."],
    until: ["Until", "Hasta"],
    bannedUntil: ["Banned until {time}", "Bloqueado hasta {time}"],
    forever: ["Until somebody lifts it", "Hasta que alguien lo levante"],
    "day.1": ["One day", "Un día"],
    "day.7": ["One week", "Una semana"],
    "day.30": ["30 days", "30 días"],
    date: ["A date …", "Una fecha …"],
    dateAndTime: ["Date and time", "Fecha y hora"],
    past: ["This time has passed.", "Ese momento ya ha pasado."],
    tooFar: ["The year must be 9999 or earlier.", "El año debe ser 9999 o anterior."],
    sessions: ["Sessions", "Sesiones"],
    noSessions: ["No session is open.", "No hay sesiones abiertas."],
    endSession: ["End", "Cerrar"],
    endSessionOf: ["End the session {device}", "Cerrar la sesión {device}"],
    endAll: ["End all", "Cerrar todas"],
    endedSession: ["The session has ended.", "Se ha cerrado la sesión."],
    endedAll: ["All sessions have ended.", "Se han cerrado todas las sesiones."],
    endOwnTitle: ["End a session of your own?", "¿Cerrar una sesión tuya?"],
    endOwnLead: ["If it is the one you use here, you will have to sign in again.", "Si es la que usas en esta página, tendrás que iniciar sesión de nuevo."],
    endOwn: ["End it", "Cerrarla"],
    thisSession: ["this session", "esta sesión"],
    since: ["since {time}", "desde {time}"],
    on: ["{browser} on {system}", "{browser} en {system}"],
    unknownDevice: ["Unknown device", "Dispositivo desconocido"],
    setPassword: ["Set a password", "Cambiar la contraseña"],
    passwordTitle: ["New password for {name}", "Nueva contraseña para {name}"],
    passwordHint: ["{least} to {most} characters.", "De {least} a {most} caracteres."],
    passwordEnds: ["This ends all sessions of this user.", "Esto cierra todas las sesiones de este usuario."],
    passwordSet: ["The password has been set.", "Se ha cambiado la contraseña."],
    generate: ["Generate", "Generar"],
    show: ["Show", "Mostrar"],
    hide: ["Hide", "Ocultar"],
    resetFactor: ["Reset second factor", "Quitar el segundo factor"],
    resetFactorTitle: ["Reset the second factor of {name}?", "¿Quitar el segundo factor de {name}?"],
    resetFactorLead: ["This user can then sign in with the password alone, until another second factor is set up. All sessions of this user end, and trusted devices are forgotten.", "Después basta la contraseña para entrar, hasta que el usuario configure otro segundo factor. Cierra todas las sesiones de este usuario y olvida los dispositivos de confianza."],
    factorReset: ["The second factor has been removed.", "Se ha quitado el segundo factor."],
    remove: ["Delete user", "Eliminar usuario"],
    removeTitle: ["Delete {name}?", "¿Eliminar a {name}?"],
    removeLead: ["This permanently deletes the user, with all sessions and accounts. To confirm, type the e-mail:", "Se elimina para siempre al usuario, con sus sesiones y cuentas. Para confirmar, escribe su correo:"],
    removeLeadById: ["This permanently deletes the user, with all sessions and accounts. To confirm, type the identifier:", "Se elimina para siempre al usuario, con sus sesiones y cuentas. Para confirmar, escribe su identificador:"],
    removed: ["{name} has been deleted.", "Se ha eliminado a {name}."],
    notTheAddress: ["This is not the e-mail.", "Ese no es el correo."],
    notTheId: ["This is not the identifier.", "Ese no es el identificador."],
    missing: ["Enter a value.", "Escribe un valor."],
    "missing.name": ["Enter a name.", "Escribe un nombre."],
    "missing.email": ["Enter an e-mail.", "Escribe un correo."],
    "missing.password": ["Enter a password.", "Escribe una contraseña."],
    "missing.code": ["Enter the code.", "Escribe el código."],
    "missing.date": ["Enter date and time.", "Escribe fecha y hora."],
    noEmail: ["This is not an e-mail address.", "No es un correo válido."],
    length: ["It must have {least} to {most} characters.", "Debe tener de {least} a {most} caracteres."],
    ownRecord: ["This is your record. Only administrators see other users.", "Estos son tus datos. Solo los administradores ven a los demás usuarios."],
    stillAccepted: ["The application still accepts the user's sessions: its storage cannot be reached. They end as soon as it answers.", "La aplicación todavía acepta las sesiones del usuario: no se puede contactar con su almacén. Terminarán en cuanto responda."],
    cachedFor: ["The application may accept the user's sessions from its cache for up to {time}.", "La aplicación puede aceptar las sesiones del usuario desde su caché durante {time} como máximo."],
    unreachable: ["The server could not be reached. Try again.", "No se ha podido contactar con el servidor. Inténtalo de nuevo."],
    failed: ["That did not work (status {status}).", "No ha funcionado (estado {status})."],
    "No autorizado": ["You are not signed in."],
    "No tienes permisos": ["You may not do this."],
    "No tienes permisos para ver usuarios": ["You may not list users."],
    "No tienes permisos para crear usuarios": ["You may not create users."],
    "Solo puedes crear usuarios con rol 'user'": ["You may create only users with the role 'user'.", "Solo puedes crear usuarios con el rol «Usuario»."],
    "No tienes permisos para editar usuarios": ["You may not edit this user."],
    "No tienes permisos para cambiar roles o banear usuarios": ["You may not change roles or ban users.", "No tienes permisos para cambiar roles o bloquear usuarios."],
    "No tienes permisos para eliminar usuarios": ["You may not delete users."],
    "No se puede eliminar el usuario administrador principal": ["The main administrator cannot be deleted."],
    "Faltan campos requeridos": ["Required fields are missing."],
    "El email ya está registrado": ["Another user has this e-mail.", "Otro usuario ya tiene este correo."],
    "No puedes eliminar tu propio usuario": ["You cannot delete yourself."],
    "Usuario no encontrado": ["This user does not exist."],
    "Debe quedar al menos un superAdmin": ["At least one super admin must remain.", "Debe quedar al menos un superadministrador."],
    "Origen no permitido": ["The origin of this page is not allowed."],
    "El usuario ha cambiado": ["This user has changed in the meantime. Look again before you go on."],
    "Error al actualizar usuario": ["The user could not be changed. Perhaps another user has this e-mail."],
    "Error al crear usuario": ["The user could not be created."],
    "Error al obtener usuarios": ["The users could not be read."],
    "No tienes permisos para gestionar sesiones": ["You may not manage sessions."],
    "No tienes permisos para cambiar contraseñas": ["You may not set passwords."],
    "No tienes permisos para banear usuarios": ["You may not ban users.", "No tienes permisos para bloquear usuarios."],
    "No tienes permisos para quitar el segundo factor": ["You may not reset second factors."],
    "El usuario no tiene segundo factor": ["This user has no second factor."],
    "Error al quitar el segundo factor": ["The second factor could not be removed."],
    "Sesión no encontrada": ["This session does not exist."],
    "La contraseña es demasiado corta": ["The password is too short."],
    "La contraseña es demasiado larga": ["The password is too long."],
    "No puedes banear tu propio usuario": ["You cannot ban yourself.", "No puedes bloquear tu propio usuario."],
    "El baneo debe terminar en el futuro": ["The ban must end in the future.", "El bloqueo debe terminar en el futuro."],
    "Error al obtener sesiones": ["The sessions could not be read."],
    "Error al cerrar sesiones": ["The sessions could not be ended."],
    "Error al cambiar la contraseña": ["The password could not be set."],
    "Error al banear usuario": ["The user could not be banned.", "No se ha podido bloquear al usuario."],
    "Error al desbanear usuario": ["The ban could not be lifted.", "No se ha podido levantar el bloqueo."],
    "Método no permitido": ["This method is not allowed."],
    "Petición incorrecta": ["The request is not valid."],
    "El cuerpo de la petición es demasiado grande": ["The request is too large."],
    "Demasiadas peticiones": ["Too many requests. Try again later."],
    "Tiempo de espera agotado": ["The request took too long. Try again."],
    "Error al obtener usuario": ["The user could not be read."],
    "Error al eliminar usuario": ["The user could not be deleted."],
    "Servicio no disponible temporalmente": ["The service is busy. Try again in a moment."],
  };
  const language = (navigator.languages ?? [navigator.language]).map((each) => each.slice(0, 2).toLowerCase()).find((each) => each === "en" || each === "es") ?? "en";
  const column = language === "es" ? 1 : 0;
  // Isolates right-to-left values and removes bidirectional controls, so that a value cannot reorder the sentence.
  const apart = (value) => String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, "").replace(/^.*[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc].*$/su, "\u2068$&\u2069");
  const t = (key, values = {}) => (texts[key][column] ?? key).replace(/\{(\w+)\}/g, (_, name) => apart(values[name]));
  document.documentElement.lang = language;
  document.title = t("title");

  const locale = navigator.languages?.find((each) => each.toLowerCase().startsWith(language)) ?? language;
  const number = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  // Returns the text for a count, in the singular where there is one, or for a count that is still being read.
  const counted = (key, count) => t(plurals.select(count) === "one" && `${key}.one` in texts ? `${key}.one` : key, { count: count === null ? "…" : number.format(count) });
  const duration = (seconds) => new Intl.NumberFormat(locale, { style: "unit", unit: seconds % 60 ? "second" : "minute", unitDisplay: "long" }).format(seconds % 60 ? seconds : seconds / 60);
  const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const timeFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  // Returns the text without invisible characters.
  const visible = (text) => text.normalize("NFC").replace(/[\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/gu, "").trim();
  // Shortens very long names to a line or two.
  const widest = 80;
  function brief(text) {
    const letters = [...text.slice(0, 2 * widest + 2)];
    return letters.length > widest ? `${letters.slice(0, widest).join("")}…` : text;
  }
  const nameOf = (user) => brief([user.name, user.email].find(visible) ?? user.id);
  const isPrivileged = (role) => role === "admin" || role === "superAdmin";
  const nameOfRole = (role) => (role === "user" ? t("roleOfUser") : isPrivileged(role) ? t(role) : role);

  // --- Nodes ---

  const svgSpace = "http://www.w3.org/2000/svg";
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {}))
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
    node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
    return node;
  }
  const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  const s = (name, attributes, ...children) => fill(document.createElementNS(svgSpace, name), attributes, children);
  let lastId = 0;
  const newId = () => `n${++lastId}`;

  const shapes = {
    search: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 20 20",
    plus: "M12 5v14M5 12h14",
    close: "M6 6l12 12M18 6 6 18",
    down: "M6 9l6 6 6-6",
    copy: "M9 9h11v11H9zM5 15H4V4h11v1",
    link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  };
  const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, s("path", { d: shapes[name] }));
  const title = () => h("h1", { tabindex: "-1" }, t("title"));
  const mark = () => s("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" }, s("rect", { width: 32, height: 32, rx: 8 }), s("circle", { cx: 16, cy: 12, r: 5 }), s("path", { d: "M6 26a10 8 0 0 1 20 0z" }));
  const time = (text, format) => (text ? h("time", { datetime: text, title: timeFormat.format(new Date(text)) }, format.format(new Date(text))) : "–");
  // Returns the first letter or digit of the first and the last word that has one.
  function initialsOf(text) {
    const letters = visible(brief(text)).split(/\s+/).map((word) => word.match(/[\p{L}\p{N}]/u)?.[0]).filter(Boolean);
    return [...letters.slice(0, 1), ...letters.slice(1).slice(-1)].join("").toLocaleUpperCase(locale);
  }
  function avatar(user, size = "") {
    const initials = [user.name, user.email].map(initialsOf).find(Boolean);
    return h("span", { class: `avatar ${size}`, "aria-hidden": "true" }, initials);
  }
  const rolePill = (role) => h("span", { class: `pill ${isPrivileged(role) ? role : ""}` }, nameOfRole(role));
  const isBanned = (user) => user.banned && !(user.banExpires && new Date(user.banExpires) <= new Date());
  function statusPills(user) {
    const pills = [];
    if (isBanned(user)) pills.push(h("span", { class: "pill banned", title: user.banReason }, t("banned")));
    else if (user.banned) pills.push(h("span", { class: "pill" }, t("banOver")));
    if (!user.emailVerified) pills.push(h("span", { class: "pill warn" }, t("unverified")));
    return h("span", { class: "pills" }, pills);
  }

  // --- Requests ---

  // Returns the key of a message of the service, which may be in either language.
  const keyOf = (said) => Object.keys(texts).find((key) => /^[A-Z]/.test(key) && texts[key][0] === said) ?? said;
  class Problem extends Error {
    constructor(status, told) {
      // A 503 without an envelope may come from a proxy.
      const said = keyOf(told ?? (status === 503 ? "Servicio no disponible temporalmente" : undefined));
      super(said && texts[said] ? t(said) : column === 1 && said ? said : status === 0 ? t("unreachable") : t("failed", { status }));
      this.status = status;
      this.said = said;
    }
  }
  async function send(method, url, { body, tag, signal } = {}) {
    const headers = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (tag) headers["If-Match"] = tag;
    let reply;
    try {
      reply = await fetch(url, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", cache: "no-store", redirect: "error" });
      const content = await reply.json().catch((error) => {
        if (!(error instanceof SyntaxError)) throw error;
        return null;
      });
      return { status: reply.status, content, headers: reply.headers };
    } catch {
      signal?.throwIfAborted();
      throw new Problem(0);
    }
  }
  // The base address may be the root.
  const addressOf = (path) => `${service.base}${path}`.replace(/^(?!\/)/, "/");
  // Sends a request to the service. Returns the envelope.
  async function call(method, path, options) {
    const asking = caller;
    const { status, content, headers } = await send(method, addressOf(path), options);
    // Discard the reply if the caller has signed out in the meantime.
    if (asking !== caller) throw new Problem(401, "No autorizado");
    if (status === 401) {
      keepDraft();
      enter(t("sessionOver"));
      throw new Problem(status, "No autorizado");
    }
    // The list still shows a user or session that has been deleted.
    if (status === 404 && dialogs().length) list?.refresh();
    if (method !== "GET") isStillAccepted = headers.has("Warning");
    if (status !== 200 || !content?.success) throw new Problem(status, content?.error);
    if (method === "GET") noteCopy(/^110 .* (\S+)"$/.exec(headers.get("Warning") ?? "")?.[1]);
    // The service sends strong tags only. A compressing proxy makes them weak, and a weak tag never matches If-Match.
    const cursorTo = (relation) => new RegExp(`cursor=(\\w+)>; rel="${relation}"`).exec(headers.get("Link") ?? "")?.[1];
    return { ...content, next: cursorTo("next"), previous: cursorTo("prev"), tag: headers.get("ETag")?.replace(/^W\//, ""), total: Number(headers.get("X-Total-Count") ?? content.pagination?.total) };
  }
  const pathOf = (user) => `/${encodeURIComponent(user.id)}`;

  // --- The page ---

  let caller = null;
  let list = null;
  // Whether the last change has not reached the application's secondary storage.
  let isStillAccepted = false;
  // Whether the service reads a copy of the database, which takes no changes.
  let isCopy = false;
  const copyNotice = h("p", { class: "notice warn", role: "status" });
  // time: the last change that the copy has received; undefined if it is no copy.
  function noteCopy(time) {
    isCopy = time !== undefined;
    const note = isCopy ? t("readOnly", { time: timeFormat.format(new Date(time)) }) : "";
    // Screen readers say a text again that is replaced by the same one.
    if (copyNotice.textContent !== note) copyNotice.textContent = note;
    for (const node of document.querySelectorAll("button.change")) node.hidden = isCopy;
  }
  const toast = h("p", { class: "toast", role: "status" });
  let toastTimer = 0;
  function tell(text, { endsSessions = false, link = null } = {}) {
    const place = dialogs().at(-1)?.querySelector(".status") ?? toast;
    const isCached = endsSessions && cacheSeconds > 0;
    const message = [text, isStillAccepted && t("stillAccepted"), isCached && t("cachedFor", { time: duration(cacheSeconds) })].filter(Boolean).join(" ");
    place.replaceChildren(message, link ?? "");
    isStillAccepted = false;
    if (place !== toast) return;
    clearTimeout(toastTimer);
    // A link stays until it is used, or the list is searched.
    if (!link) toastTimer = setTimeout(() => (toast.textContent = ""), 6000);
  }
  function show(...nodes) {
    // The first page that is shown leaves the focus to the browser.
    const hadFocus = document.activeElement !== document.body;
    dialogs().forEach((each) => each.close());
    toast.replaceChildren();
    document.body.replaceChildren(...nodes, toast);
    if (hadFocus) document.querySelector("h1").focus();
  }

  const isSuper = () => caller.role === "superAdmin";
  const isSelf = (user) => user.id === caller.id;
  const mayChange = () => !isCopy && isSuper();
  const mayEdit = (user) => !isCopy && (isSuper() || (caller.role === "admin" && (!caller.rank || user.role === "user")));
  const asCompared = (email) => (caller.lowersEmail ? email.toLowerCase() : email);
  const isProtected = (user) => isSuper() && asCompared(user.email) === asCompared(caller.protectedEmail);
  const mayDelete = (user) => mayChange() && !isSelf(user) && !isProtected(user);

  // --- Forms ---

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

  // --- Edits that have not been saved ---

  const dialogs = () => [...document.querySelectorAll("dialog[open]")];
  const editsIn = (...places) => places.flatMap((place) => [...place.querySelectorAll("input, select")]).filter((input) => input.isEdited?.());
  // The edits that the user has not agreed to discard.
  const edits = () => editsIn(...dialogs().filter((each) => !each.isLeft));
  let question = null;
  const agreesToDiscard = () => (question ??= confirmation(t("discardTitle"), t("keepEditing"), t("discard")).finally(() => (question = null)));
  addEventListener("beforeunload", (event) => {
    if (edits().length) event.preventDefault();
  });
  const draftKey = `useradmin-draft ${service.base}`;
  // Stores the edits of the open dialogs, but no password, until the same caller signs in again.
  function keepDraft() {
    const typed = edits().filter((input) => input.name !== "password").map((input) => [input.name, input.value]);
    if (typed.length) sessionStorage.setItem(draftKey, JSON.stringify({ caller: caller.id, user: dialogs()[0].user, typed: Object.fromEntries(typed) }));
  }
  // Opens the user in the address, with the draft.
  async function restore() {
    written = location.href;
    const draft = JSON.parse(sessionStorage.getItem(draftKey));
    sessionStorage.removeItem(draftKey);
    const user = fragment().get("user");
    const isOwn = draft?.caller === caller.id && (draft.user ?? null) === user;
    const isShown = user ? await showUser(user, { typed: isOwn ? draft.typed : {}, isNew: false }) : isOwn && createUser(draft.typed);
    if (isOwn && isShown) tell(t("restored"));
  }
  // Enters the values of a draft, where there are any.
  function enterTyped(typed, inputs) {
    for (const input of inputs)
      if (input.name in typed) {
        input.value = typed[input.name];
        input.dispatchEvent(new Event("change"));
      }
  }

  // --- The address: its fragment has the state of the list and the open user, for a reload, a bookmark and the back button. ---

  const fragment = () => new URLSearchParams(location.hash.slice(1));
  let written = location.href;
  // Writes what is shown into a new entry of the history or the present one. kind: "opened" by a click on a user, or "typed" into the search.
  function writeAddress(isNew, kind = null) {
    if (!list) return;
    const user = dialogs()[0]?.user;
    const state = new URLSearchParams([...list.state(), ...(user ? [["user", user]] : [])]);
    const address = `${location.href.split("#")[0]}${state.size ? `#${state}` : ""}`;
    if (isNew && address !== written) history.pushState(kind, "", address);
    else history.replaceState(history.state, "", address);
    written = address;
  }
  // Shows what is in the address after Back or Forward. If there are edits, restores the address first and asks.
  async function follow() {
    if (!list) return;
    if (edits().length) {
      history.pushState(dialogs()[0].user ? "opened" : null, "", written);
      if (question || !(await agreesToDiscard())) return;
      for (const each of dialogs()) each.isLeft = true;
      return history.back();
    }
    const user = fragment().get("user");
    const [drawer] = dialogs();
    const isShown = user !== null && drawer?.user === user && !drawer.isLeft;
    for (const each of dialogs().reverse()) if (!isShown || each !== drawer) each.close();
    list.follow();
    written = location.href;
    if (user && !isShown) await showUser(user, { isNew: false });
  }

  // --- Dialogs: the browser traps and restores the focus. ---

  function dialog(title, kind = "") {
    const heading = h("h2", { id: newId(), tabindex: "-1" }, title);
    const place = h("div", { class: "title" }, heading);
    const content = h("div", { class: "inner" });
    const notice = h("div", { class: "notice warn", role: "alert" });
    const opener = document.activeElement;
    const frame = { heading, place, content, notice, leave, close: () => frame.node.close() };
    const node = (frame.node = h("dialog", { class: kind, "aria-labelledby": heading.id },
      h("div", { class: "top" },
        h("div", { class: "head" }, place, bareButton("close", t("close"), leave)),
        h("p", { class: "status", role: "status" }), notice),
      h("div", { class: "content" }, content)));
    node.addEventListener("close", () => {
      node.remove();
      // The element that opened the dialog may have been replaced.
      const below = dialogs().at(-1);
      if (below) return below.contains(document.activeElement) || below.querySelector("h2").focus();
      const again = opener?.isConnected && opener !== document.body ? opener : document.querySelector(`[data-user="${CSS.escape(node.user ?? opener?.dataset.user ?? "")}"]`);
      (again ?? document.querySelector("input[type=search]"))?.focus();
    });
    // Asks before edits are discarded.
    function leave() {
      if (!editsIn(node).length) frame.close();
      else agreesToDiscard().then((isAgreed) => isAgreed && frame.close());
    }
    const leaveInstead = (event) => {
      event.preventDefault();
      leave();
    };
    // Chromium closes a dialog without the event cancel if the user presses Esc twice.
    node.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && leaveInstead(event));
    node.addEventListener("cancel", leaveInstead);
    // The second press of a double click that opened the dialog selects no text.
    let wasPressed = false;
    node.addEventListener("mousedown", (event) => {
      wasPressed ||= event.detail === 1;
      if (!wasPressed) event.preventDefault();
    });
    // The message is about what was there before.
    node.addEventListener("input", () => (node.querySelector(".status").textContent = ""));
    document.body.append(node);
    node.showModal();
    heading.focus();
    return frame;
  }

  // Asks a question. Resolves to whether the user agrees.
  function confirmation(title, no, yes, lead) {
    const frame = dialog(title);
    let isAgreed = false;
    frame.content.append(form({
      fields: lead ? [h("p", null, lead)] : [],
      buttons: [button(no, frame.close), submit(yes, "danger")],
      action: () => {
        isAgreed = true;
        frame.close();
      },
    }));
    return new Promise((resolve) => frame.node.addEventListener("close", () => resolve(isAgreed)));
  }

  const gainsRights = (before, after) => isPrivileged(after) && after !== before && before !== "superAdmin";
  const confirmRole = (name, role) => confirmation(t("giveRoleTitle", { name, role: nameOfRole(role) }), t("cancel"), t("giveRole"), t(role === "admin" ? "giveAdmin" : "giveSuperAdmin"));

  function createUser(typed = {}) {
    const frame = dialog(t("newUser"));
    const name = h("input", { name: "name", required: true, autocomplete: "off" });
    const email = h("input", { type: "email", name: "email", required: true, autocomplete: "off" });
    const password = passwordFields();
    const role = select(roles("user"), "user", { name: "role" });
    frame.content.append(form({
      fields: [field(t("name"), name), field(t("email"), email), password.node, isSuper() && field(t("role"), role)],
      buttons: [button(t("cancel"), frame.leave), submit(t("create"))],
      agreed: () => !gainsRights("user", role.value) || confirmRole(name.value.trim(), role.value),
      action: async () => {
        const { data } = await call("POST", "", { body: { name: name.value.trim(), email: email.value.trim(), password: password.input.value, role: isSuper() ? role.value : "user" } });
        frame.close();
        // Search and filters may hide the user.
        const open = h("button", { type: "button", "data-user": data.id, onclick: () => {
          showUser(data.id);
          toast.replaceChildren();
        } }, t("open"));
        tell(t("createdUser", { name: nameOf(data) }), { link: open });
        list.refresh();
      },
    }));
    enterTyped(typed, [name, email, role]);
    name.focus();
    return true;
  }

  function banUser(user, ask, done, typed = {}) {
    const frame = dialog(t("banTitle", { name: nameOf(user) }));
    const reason = h("input", { name: "reason", autocomplete: "off", maxlength: 500 });
    const until = select([["", t("forever")], ["1", t("day.1")], ["7", t("day.7")], ["30", t("day.30")], ["date", t("date")]], "", { name: "until" });
    const date = h("input", { type: "datetime-local", name: "date", max: "9999-12-31T23:59" });
    const dateField = field(t("dateAndTime"), date);
    dateField.hidden = true;
    until.addEventListener("change", () => {
      dateField.hidden = until.value !== "date";
      date.required = !dateField.hidden;
    });
    date.check = () => {
      if (dateField.hidden) return "";
      const end = new Date(date.value);
      return end <= new Date() ? t("past") : end < Date.UTC(10000, 0) ? "" : t("tooFar");
    };
    const expires = () => (until.value === "" ? null : (until.value === "date" ? new Date(date.value) : new Date(Date.now() + Number(until.value) * 86400000)).toISOString());
    frame.content.append(form({
      fields: [field(t("reason"), reason, { hint: t("reasonHint") }), hasExtras && [field(t("until"), until), dateField]],
      buttons: [button(t("cancel"), frame.leave), submit(t("ban"), "danger")],
      action: async () => {
        const text = reason.value.trim();
        if (hasExtras) await ask("PUT", "/ban", { reason: text || null, expires: expires() });
        else await ask("PUT", "", text ? { banned: true, banReason: text } : { banned: true });
        frame.close();
        await done(t("bannedNow", { name: nameOf(user) }), { endsSessions: changesEndSessions });
      },
    }));
    enterTyped(typed, [reason, until, date]);
    reason.focus();
  }

  function setPassword(user, ask, done) {
    const frame = dialog(t("passwordTitle", { name: nameOf(user) }));
    const password = passwordFields();
    frame.content.append(form({
      fields: [password.node, h("p", { class: "muted small" }, t("passwordEnds"))],
      buttons: [button(t("cancel"), frame.leave), submit(t("setPassword"))],
      action: async () => {
        await ask("PUT", "/password", { password: password.input.value });
        frame.close();
        await done(t("passwordSet"), { endsSessions: true });
      },
    }));
    password.input.focus();
  }

  function resetFactor(user, ask, done) {
    const frame = dialog(t("resetFactorTitle", { name: nameOf(user) }));
    frame.content.append(form({
      fields: [h("p", null, t("resetFactorLead"))],
      buttons: [button(t("cancel"), frame.leave), submit(t("resetFactor"), "danger")],
      action: async () => {
        await ask("DELETE", "/second-factor");
        frame.close();
        await done(t("factorReset"), { endsSessions: true });
      },
    }));
  }

  function removeUser(user, ask, done) {
    const frame = dialog(t("removeTitle", { name: nameOf(user) }));
    const hasEmail = visible(user.email) !== "";
    const wanted = hasEmail ? user.email : user.id;
    const lead = h("p", { id: newId() }, t(hasEmail ? "removeLead" : "removeLeadById"), " ", h("strong", null, wanted));
    const address = h("input", { name: "address", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true });
    address.isEdited = () => false;
    // Users cannot type invisible characters.
    address.check = () => (visible(address.value) === visible(wanted) ? "" : t(hasEmail ? "notTheAddress" : "notTheId"));
    frame.content.append(form({
      fields: [lead, field(t(hasEmail ? "email" : "id"), address)],
      buttons: [button(t("cancel"), frame.leave), submit(t("remove"), "danger")],
      action: async () => {
        await ask("DELETE", "");
        frame.close();
        await done();
      },
    }));
    address.focus();
  }

  function deviceOf(agent) {
    if (!agent) return t("unknownDevice");
    const first = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1];
    const browser = first([[/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"]]);
    const system = first([[/Windows/, "Windows"], [/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]]);
    return browser && system ? t("on", { browser, system }) : (browser ?? agent.slice(0, 60));
  }

  // --- One user ---

  // Shows the user, with the values of a draft and as a new entry of the history or not. known: the user as the list has it.
  // Resolves to whether the user could be read.
  async function showUser(id, { typed = {}, isNew = true, known = null } = {}) {
    const frame = dialog("…", "drawer");
    frame.node.user = id;
    if (isNew) writeAddress(true, "opened");
    // Closes the drawer by going back to the entry of the history before it, if there is one.
    frame.close = () => new Promise((resolve) => {
      frame.node.addEventListener("close", resolve);
      if (history.state !== "opened") {
        frame.node.close();
        return writeAddress(false);
      }
      if (!frame.node.isLeft) history.back();
      frame.node.isLeft = true;
    });
    if (canCopy) frame.place.after(bareButton("link", t("copyLink"), copy(() => `${location.href.split("#")[0]}#${new URLSearchParams({ user: id })}`)));
    const { notice } = frame;
    let user, tag;
    const pills = h("span", { class: "pills" });
    frame.place.append(pills);
    frame.place.before(avatar(known ?? { name: "", email: "" }, "large"));
    const facts = h("dl", { class: "facts" });
    const name = h("input", { name: "name", required: true, autocomplete: "off" });
    const email = h("input", { type: "email", name: "email", required: true, autocomplete: "off" });
    const role = h("select", { name: "role" });
    const inputs = { name, email, role };
    const labels = { name: t("name"), email: t("email"), role: t("role") };
    const access = h("section");
    const sessions = h("section");
    const end = h("section");
    let profile = null;

    // The initial value of each input. Inputs drop line ends, and e-mail inputs trim spaces.
    const shown = {};
    // An unchanged value is always valid.
    for (const [key, input] of Object.entries(inputs)) Object.assign(input, { isStored: true, isEdited: () => input.value !== shown[key] });
    // Shows the user as just read, but keeps typed input. Returns descriptions of what others have changed.
    function take(fresh, freshTag) {
      const before = user;
      const changes = [];
      for (const [key, input] of Object.entries(inputs)) {
        const edited = before && input.isEdited() ? input.value : null;
        if (before && before[key] !== fresh[key]) changes.push(t("changedTo", { field: labels[key], value: brief(key === "role" ? nameOfRole(fresh[key]) : fresh[key]) }));
        if (key === "role") role.replaceChildren(...roles(fresh.role).map(([value, text]) => h("option", { value }, text)));
        input.value = fresh[key];
        shown[key] = input.value;
        if (edited !== null) input.value = edited;
      }
      user = fresh;
      tag = freshTag;
      return changes;
    }
    // If two loads overlap, the later one counts.
    let readings = 0;
    async function load() {
      const mine = ++readings;
      const { data, tag: freshTag } = await call("GET", `/${encodeURIComponent(id)}`);
      if (mine !== readings) return [];
      const changes = take(data, freshTag);
      paint();
      return changes;
    }
    // Reports success even if the user can no longer be read.
    async function done(text, effects) {
      try {
        await load();
        // A new password or a ban may have ended the sessions.
        if (sessions.isConnected) await loadSessions();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.status === 401) return;
        notice.replaceChildren(error.message);
      }
      tell(text, effects);
      list.refresh(effects);
    }

    // Returns a function that sends a dialog's request with the current tag. If the user has changed, reloads the user.
    const asking = (of = pathOf(user), seen = tag) => async (method, path, body) => {
      try {
        await call(method, of + path, { tag: seen, body });
      } catch (error) {
        if (error.status === 412)
          await load().catch((another) => {
            if (!(another instanceof Problem)) throw another;
          });
        throw error;
      }
    };
    async function loadKeeping() {
      const changes = await load();
      notice.replaceChildren();
      tell([t("loadedAgain"), ...changes].join(" "));
      name.focus();
    }
    // Runs the action. If the user has changed, offers to reload it.
    const guarded = (action) => async () => {
      try {
        notice.replaceChildren();
        await action();
      } catch (error) {
        if (error.status !== 412) throw error;
        notice.replaceChildren(t("hasChanged"), button(t("loadKeeping"), () => attempt(loadKeeping)));
        notice.querySelector("button").focus();
      }
    };
    // Runs an action outside a form.
    async function attempt(action) {
      try {
        await guarded(action)();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        notice.replaceChildren(error.message);
      }
    }

    // Runs a button's action. Ignores further clicks until it ends.
    let isBusy = false;
    async function press(action) {
      if (isBusy) return;
      isBusy = true;
      await attempt(action).finally(() => (isBusy = false));
    }

    async function isTaken(address) {
      const { data } = await call("GET", `?${new URLSearchParams({ match: "all", limit: String(limits.at(-1)), search: address })}`);
      return data.some((each) => each.id !== user.id && asCompared(each.email) === asCompared(address));
    }
    async function save() {
      const body = {};
      const sent = {};
      for (const [key, input] of Object.entries(inputs)) {
        sent[key] = input.value;
        if (input.value.trim() !== shown[key].trim() && (key !== "role" || isSuper())) body[key] = input.value.trim();
      }
      if (!Object.keys(body).length) return tell(t("unchanged"));
      try {
        await call("PUT", pathOf(user), { tag, body });
      } catch (error) {
        // The service replies 500 to an address that another user has, among other reasons.
        throw error.status === 500 && "email" in body && (await isTaken(body.email)) ? new Problem(400, addressTaken) : error;
      }
      // Keep what has been typed in the meantime.
      for (const [key, input] of Object.entries(inputs)) {
        shown[key] = body[key] ?? shown[key];
        if (input.value === sent[key]) input.value = shown[key];
      }
      user = { ...user, ...body };
      await done(t("saved"), { endsSessions: changesEndSessions && ("role" in body || "email" in body), changesCounts: "email" in body });
      if (!caller || !isSelf(user)) return;
      if ("role" in body) start();
      else showName(user);
    }

    // Replaces the children of a part and keeps the focus at the same position.
    function renew(part, ...children) {
      const at = [...part.querySelectorAll("button")].indexOf(document.activeElement);
      part.replaceChildren(...children);
      if (at >= 0) (part.querySelectorAll("button")[at] ?? frame.heading).focus();
    }
    function paintHead(user) {
      frame.heading.textContent = nameOf(user);
      pills.replaceChildren();
      fill(pills, null, [rolePill(user.role), statusPills(user), isSelf(user) && h("span", { class: "pill" }, t("you")), isProtected(user) && h("span", { class: "pill" }, t("protectedUser"))]);
      frame.node.querySelector(".head > .avatar").replaceWith(avatar(user, "large"));
    }
    function paint() {
      paintHead(user);
      const rows = [[t("email"), user.email], [t("id"), user.id], [t("created"), time(user.createdAt, timeFormat)], [t("updated"), time(user.updatedAt, timeFormat)], [t("verification"), t(user.emailVerified ? "yes" : "no")]];
      if (user.banned) rows.push([t("banned"), user.banExpires ? t(isBanned(user) ? "bannedUntil" : "banOver", { time: timeFormat.format(new Date(user.banExpires)) }) : t("forever")]);
      if (user.banned && user.banReason) rows.push([t("reason"), user.banReason]);
      const copies = { [t("email")]: ["copyEmail", user.email], [t("id")]: ["copyId", user.id] };
      const copyOf = (label) => canCopy && copies[label]?.[1] && bareButton("copy", t(copies[label][0]), copy(() => copies[label][1]));
      renew(facts, ...rows.flatMap(([label, value]) => [h("dt", null, label), h("dd", null, value, copyOf(label))]));
      const mayBan = mayChange() && (!isSelf(user) || user.banned);
      const mayReset = mayChange() && hasExtras;
      access.hidden = !mayBan && !mayReset;
      renew(access, h("header", null, h("h3", null, t("access")), h("div", { class: "actions" },
        mayReset && button(t("setPassword"), () => setPassword(user, asking(), done)),
        mayReset && button(t("resetFactor"), () => resetFactor(user, asking(), done)),
        mayBan && (user.banned ? button(t("unban"), () => press(unban)) : button(t("ban"), () => banUser(user, asking(), done), "danger")))));
      end.hidden = !mayDelete(user);
      renew(end, h("div", { class: "actions" }, button(t("remove"), () => removeUser(user, asking(), async () => {
        await frame.close();
        tell(t("removed", { name: nameOf(user) }), { endsSessions: true });
        list.refresh();
      }), "danger")));
    }
    async function unban() {
      if (hasExtras) await call("DELETE", `${pathOf(user)}/ban`, { tag });
      else await call("PUT", pathOf(user), { tag, body: { banned: false } });
      await done(t("unbannedNow"));
    }

    // Returns the id of the caller's session, if the console's own sign-in knows it.
    async function ownSessionId() {
      if (!canSignIn || id !== caller.id) return null;
      const { content } = await send("GET", `${service.signIn}/get-session?disableRefresh=true`).catch(() => ({}));
      return content?.session?.id ?? null;
    }
    let sessionReadings = 0;
    async function loadSessions() {
      const mine = ++sessionReadings;
      const [{ data }, ownSession] = await Promise.all([call("GET", `/${encodeURIComponent(id)}/sessions`), ownSessionId()]);
      if (mine !== sessionReadings) return;
      const heading = h("h3", { tabindex: "-1" }, t("sessions"), " ", h("span", { class: "muted" }, number.format(data.length)));
      // Asks before the caller's own session ends, or one that may be it.
      const agreed = (session) => !isSelf(user) || (ownSession && session && session.id !== ownSession) || confirmation(t("endOwnTitle"), t("cancel"), t("endOwn"), t("endOwnLead"));
      const endOne = (session) => async () => {
        if (!(await agreed(session))) return;
        await call("DELETE", `${pathOf(user)}/sessions/${encodeURIComponent(session.id)}`);
        await loadSessions();
        tell(t("endedSession"), { endsSessions: true });
        sessions.querySelector("h3").focus();
      };
      const endAll = async () => {
        if (!(await agreed())) return;
        await call("DELETE", `${pathOf(user)}/sessions`);
        await loadSessions();
        tell(t("endedAll"), { endsSessions: true });
        sessions.querySelector("h3").focus();
      };
      sessions.replaceChildren(
        h("header", null, heading, !isCopy && data.length > 0 && button(t("endAll"), () => press(endAll))),
        data.length === 0 ? h("p", { class: "muted" }, t("noSessions")) : h("ul", { class: "sessions" }, data.map((session) => h("li", null,
          h("div", null, h("span", { title: session.userAgent }, deviceOf(session.userAgent)), session.id === ownSession && [" ", h("span", { class: "pill" }, t("thisSession"))], h("p", { class: "muted small" }, [session.ipAddress, session.createdAt && t("since", { time: timeFormat.format(new Date(session.createdAt)) })].filter(Boolean).join(" · "))),
          !isCopy && h("button", { type: "button", "aria-label": t("endSessionOf", { device: deviceOf(session.userAgent) }), onclick: busy(() => press(endOne(session))) }, t("endSession"))))));
    }

    if (known) paintHead(known);
    const sessionsRead = isSuper() && hasExtras ? loadSessions() : null;
    sessionsRead?.catch(() => {});
    try {
      await load();
    } catch (error) {
      if (error instanceof Problem && frame.node.isConnected) {
        frame.heading.textContent = t("user");
        frame.content.append(h("div", { class: "notice bad", role: "alert" }, error.message));
      }
      return false;
    }
    if (mayEdit(user)) {
      profile = form({
        fields: [field(t("name"), name), field(t("email"), email), isSuper() && field(t("role"), role, { hint: isSelf(user) ? t("ownRole") : undefined })],
        buttons: [submit(t("save"))],
        agreed: () => !gainsRights(shown.role, role.value) || confirmRole(nameOf(user), role.value),
        action: guarded(save),
      });
      profile.setAttribute("aria-label", t("profile"));
    }
    frame.content.append(facts, profile ? h("section", null, h("h3", null, t("profile")), profile) : "", access);
    if (sessionsRead) {
      frame.content.append(sessions);
      attempt(() => sessionsRead).then(() => frame.content.append(end));
    } else frame.content.append(end);
    enterTyped(typed, Object.values(inputs));
    if ("reason" in typed || "until" in typed) banUser(user, asking(), done, typed);
    return true;
  }

  // --- The list ---

  const sorts = ["createdAt desc", "createdAt asc", "updatedAt desc", "name asc", "name desc", "email asc", "email desc"];
  const empty = { search: "", role: "", banned: "", emailVerified: "", sort: sorts[0], limit: String(limits[0]), page: "1" };

  function makeList() {
    // Returns the state in the address.
    function stated() {
      const state = { ...empty };
      for (const [key, value] of fragment()) if (key in empty) state[key] = value;
      if (!/^[1-9]\d{0,8}$/.test(state.page)) state.page = empty.page;
      return state;
    }
    const query = stated();

    const search = h("input", { type: "search", id: newId(), autocomplete: "off", spellcheck: "false", maxlength: 200, value: query.search });
    const choose = (key, node) => {
      node.value = query[key];
      if (node.selectedIndex < 0) node.value = query[key] = empty[key];
    };
    const choice = (key, options) => {
      const node = select(options, query[key], { id: newId(), onchange: () => change({ [key]: node.value }) });
      choose(key, node);
      return node;
    };
    const controls = {
      role: choice("role", [["", t("all")], ...roles("user")]),
      banned: choice("banned", [["", t("all")], ["true", t("hasBan")], ["false", t("notBanned")]]),
      emailVerified: choice("emailVerified", [["", t("all")], ["true", t("yes")], ["false", t("no")]]),
      sort: choice("sort", sorts.map((each) => [each, t(each)])),
      limit: choice("limit", limits.map((each) => [String(each), String(each)])),
    };
    const labelled = (label, node) => h("div", null, h("label", { for: node.id }, label), node);

    const sortable = (key, text) => {
      const toggle = () => change({ sort: query.sort === `${key} asc` ? `${key} desc` : query.sort === `${key} desc` ? `${key} asc` : key === "name" ? "name asc" : `${key} desc` });
      return h("th", { scope: "col", role: "columnheader", "data-key": key }, h("button", { type: "button", onclick: toggle }, text, icon("down")));
    };
    const heads = [sortable("name", t("user")), h("th", { scope: "col", role: "columnheader" }, t("role")), h("th", { scope: "col", role: "columnheader" }, t("status")), sortable("createdAt", t("created"))];
    const rows = h("tbody", { role: "rowgroup" });
    const table = h("table", { role: "table", "aria-label": t("title") },
      h("colgroup", null, h("col", { class: "wide" }), h("col"), h("col"), h("col")),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), rows);
    const said = h("p", { class: "hidden", role: "status" });
    const range = h("span", { class: "range muted" });
    // The cursors of the adjacent pages. Unlike page numbers, they cost the same at any depth.
    let cursors = {};
    const previous = button(t("previous"), () => change({ page: String(Number(query.page) - 1) }, { focus: previous, cursor: cursors.previous }));
    const next = button(t("next"), () => change({ page: String(Number(query.page) + 1) }, { focus: next, cursor: cursors.next }));
    const waiting = h("p", { class: "none" }, t("loading"));
    const foot = h("nav", { class: "foot", hidden: true, "aria-label": t("pages") });
    const none = h("div", { class: "none", hidden: true }, h("p", null, t("noneFound")), button(t("clear"), () => change(empty, { focus: search })));
    const problem = h("div", { class: "notice bad", role: "alert" });
    const region = h("div", { class: "region" }, table);

    const total = h("span", { class: "number" }, "…");
    const totalKey = isSuper() ? "total" : "totalOfAdmin";
    const totalLabel = h("span", { class: "muted" }, t(totalKey));
    const counts = h("div", { class: "counts" });
    const chart = h("figure", { class: "card chart" });
    const summary = h("div", { class: "summary" }, h("div", { class: "card total" }, total, totalLabel, counts), chart);

    let running = null;
    let timer = 0;

    function change(values, { focus, cursor, isNew = true, kind = null } = {}) {
      if (toast.querySelector("button")) toast.replaceChildren();
      Object.assign(query, { page: "1" }, values);
      for (const [key, node] of Object.entries(controls)) choose(key, node);
      // Keep a trailing space that the user has just typed.
      if (values.search !== undefined && search.value.trim() !== query.search) search.value = query.search;
      writeAddress(isNew, kind);
      return refreshRows(focus, cursor);
    }
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => change({ search: search.value.trim() }, { isNew: history.state !== "typed", kind: "typed" }), 180);
    });
    // The next search is another entry of the history.
    search.addEventListener("change", () => history.state === "typed" && history.replaceState(null, ""));

    // Returns the user whose id is searched for, without filters, or nobody.
    async function withId(signal) {
      if (!/^[\w-]{6,}$/.test(query.search) || query.role || query.banned || query.emailVerified) return [];
      const { status, content } = await send("GET", addressOf(pathOf({ id: query.search })), { signal });
      return status === 200 && content?.success ? [content.data] : [];
    }
    async function refreshRows(focus, cursor) {
      clearTimeout(timer);
      cursors = {};
      running?.abort();
      const mine = (running = new AbortController());
      region.setAttribute("aria-busy", "true");
      const [sort, order] = query.sort.split(" ");
      const parameters = new URLSearchParams({ match: "all", page: query.page, limit: query.limit, sort, order });
      for (const key of ["search", "banned", "emailVerified"]) if (query[key]) parameters.set(key, query[key]);
      if (query.role && isSuper()) parameters.set("role", query.role);
      if (cursor) parameters.set("cursor", cursor);
      try {
        const reply = await call("GET", `?${parameters}`, { signal: mine.signal });
        if (mine !== running) return;
        const found = reply.total ? [] : await withId(mine.signal);
        if (mine !== running) return;
        problem.replaceChildren();
        cursors = reply;
        const { page, limit, totalPages } = reply.pagination;
        // The page is empty now. Always go back at least one page, because the total may be outdated.
        if (!reply.data.length && page > 1 && reply.total > 0) return change({ page: String(Math.min(totalPages, page - 1)) }, { focus, isNew: false });
        const users = [...reply.data, ...found];
        const total = reply.total + found.length;
        paint(users);
        none.hidden = users.length > 0;
        const from = (page - 1) * limit + 1;
        range.textContent = users.length ? t("range", { from: number.format(from), to: number.format(from + users.length - 1), total: number.format(total) }) : "";
        said.textContent = counted("found", total);
        previous.disabled = page <= 1;
        next.disabled = page >= totalPages;
        if (focus?.disabled) (focus === next ? previous : next).focus();
        else focus?.focus();
      } catch (error) {
        if (error.name === "AbortError") return;
        if (!(error instanceof Problem)) throw error;
        if (mine === running) fail(error, focus);
      } finally {
        if (mine === running) {
          region.removeAttribute("aria-busy");
          waiting.hidden = true;
          foot.hidden = false;
        }
      }
    }

    // Removes the rows, because they are not those that were asked for.
    function fail(error, focus) {
      const again = button(t("reload"), () => refreshRows(search));
      const hadFocus = focus?.disabled === false || rows.contains(document.activeElement) || problem.contains(document.activeElement);
      rows.replaceChildren();
      range.textContent = said.textContent = "";
      previous.disabled = next.disabled = none.hidden = true;
      problem.replaceChildren(error.message, again);
      if (hadFocus) again.focus();
    }

    function paint(users) {
      const focused = document.activeElement?.dataset?.user;
      for (const head of heads) {
        const [key, order] = query.sort.split(" ");
        if (head.dataset.key === key) head.setAttribute("aria-sort", order === "asc" ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      }
      rows.replaceChildren(...users.map((user) => {
        const open = h("button", { type: "button", "data-user": user.id }, nameOf(user));
        const row = h("tr", { role: "row", onclick: (event) => {
          if (getSelection().toString() && event.target !== open) return;
          open.focus();
          showUser(user.id, { known: user });
        } },
        h("td", { role: "cell" }, h("div", { class: "person" }, avatar(user), h("span", null, open, h("span", { class: "muted small" }, brief(user.email))))),
        h("td", { role: "cell" }, rolePill(user.role)),
        h("td", { role: "cell" }, statusPills(user)),
        h("td", { role: "cell", class: "muted" }, time(user.createdAt, dayFormat)));
        return row;
      }));
      if (focused && !document.querySelector("dialog[open]")) rows.querySelector(`[data-user="${CSS.escape(focused)}"]`)?.focus();
    }

    const count = async (parameters = {}) => (await call("GET", `?${new URLSearchParams({ match: "all", limit: "1", ...parameters })}`)).total;
    const countButtons = [["bannedCount", { banned: "true" }, "banned"], ["unverifiedCount", { emailVerified: "false" }, "unverified"]]
      .map(([key, values, name]) => [key, button(counted(key, null), () => change({ ...empty, ...values })), name]);
    counts.append(...countButtons.map(([, node]) => node));
    drawChart(startsOfDays(), null);
    let summaries = 0;
    // Returns the beginnings of the last days and of tomorrow.
    function startsOfDays() {
      const today = new Date();
      return Array.from({ length: days + 1 }, (_, index) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + index));
    }
    // Without UserAdminExtras, each count is a request.
    async function countAll() {
      const [total, banned, unverified] = await Promise.all([count(), count({ banned: "true" }), count({ emailVerified: "false" })]);
      return { total, banned, unverified };
    }
    async function countDays(starts) {
      const counts = [];
      // Send only a few requests at a time, to limit the load on the service.
      for (let day = 0; day < days; day += 4)
        counts.push(...await Promise.all(starts.slice(day, Math.min(day + 4, days)).map((start, index) =>
          count({ createdAfter: new Date(start - 1).toISOString(), createdBefore: starts[day + index + 1].toISOString() }))));
      return counts;
    }
    async function refreshSummary() {
      const mine = ++summaries;
      let place = counts;
      try {
        const starts = startsOfDays();
        const summary = hasExtras
          ? (await call("GET", `?${new URLSearchParams({ limit: "1", summary: starts.map((each) => each.toISOString()).join() })}`)).summary
          : await countAll();
        if (mine !== summaries) return;
        total.textContent = number.format(summary.total);
        totalLabel.textContent = counted(totalKey, summary.total);
        for (const [key, node, name] of countButtons) node.textContent = counted(key, summary[name]);
        if (!counts.contains(countButtons[0][1])) counts.replaceChildren(...countButtons.map(([, node]) => node));
        place = chart;
        const created = summary.created ?? (await countDays(starts));
        if (mine === summaries) drawChart(starts, created);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (mine !== summaries) return;
        if (place === counts) total.textContent = "–";
        chart.replaceChildren();
        place.replaceChildren(h("p", { class: "muted small" }, error.message), button(t("reload"), () => refreshSummary().then(() => counts.querySelector("button").focus())));
      }
    }
    // Draws the counts, or the empty chart while they are read.
    function drawChart(starts, read) {
      const height = 60;
      const counts = read ?? Array(days).fill(0);
      const most = Math.max(...counts, 1);
      const told = counts.map((each, day) => `${shortDay.format(starts[day])}: ${number.format(each)}`);
      const bars = counts.map((each, day) => {
        const size = each ? Math.max(3, (each / most) * height) : 2;
        return s("rect", { x: `${(day * 100) / days + 0.6}%`, width: `${100 / days - 1.2}%`, y: height - size, height: size, rx: 2, class: each ? (day === days - 1 ? "today" : "") : "none" }, s("title", null, told[day]));
      });
      chart.replaceChildren(
        h("header", null, h("h2", { class: "small" }, t("newByDay")), h("span", { class: "muted small" }, t("newInDays", { count: read ? number.format(counts.reduce((sum, each) => sum + each, 0)) : "…", days }))),
        s("svg", { role: "img", "aria-label": read ? `${t("newByDay")}. ${told.join("; ")}` : t("loading") }, bars),
        h("div", { class: "axis muted small", "aria-hidden": "true" }, h("span", null, shortDay.format(starts[0])), h("span", null, shortDay.format(starts[days - 1]))));
    }

    const nodes = [copyNotice, summary,
      h("div", { class: "card list" },
        h("div", { class: "tools" },
          h("div", { class: "search" }, h("label", { for: search.id }, t("search")), icon("search"), search),
          isSuper() && labelled(t("role"), controls.role), labelled(t("status"), controls.banned), labelled(t("verification"), controls.emailVerified), labelled(t("sort"), controls.sort),
          h("button", { type: "button", class: "main change", onclick: () => createUser() }, icon("plus"), t("newUser"))),
        problem, said, region, waiting, none,
        fill(foot, null, [range, h("label", null, t("perPage"), controls.limit), previous, next]))];
    return {
      nodes,
      state: () => Object.entries(query).filter(([key, value]) => value !== empty[key]),
      follow: () => {
        const before = JSON.stringify(query);
        Object.assign(query, stated());
        for (const [key, node] of Object.entries(controls)) choose(key, node);
        if (JSON.stringify(query) === before) return;
        search.value = query.search;
        refreshRows();
      },
      refresh: ({ changesCounts = true } = {}) => {
        refreshRows();
        if (changesCounts) refreshSummary();
      },
    };
  }

  // --- Signing in and out ---

  function enter(note = "", isGood = false) {
    caller = list = null;
    const heading = title();
    const parts = [mark(), h("div", null, heading, h("p", { class: "muted" }, location.hostname)), h("div", { class: isGood ? "notice" : "notice warn", role: "status" }, note)];
    if (canSignIn) {
      const email = h("input", { type: "email", name: "email", autocomplete: "username", required: true });
      const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
      parts.push(form({
        fields: [field(t("email"), email), field(t("password"), password)],
        buttons: [submit(t("signIn"))],
        action: async () => {
          const { status, content } = await send("POST", `${service.signIn}/sign-in/email`, { body: { email: email.value.trim(), password: password.value } });
          if (status === 200) return content.twoFactorRedirect ? enterCode() : start();
          password.value = "";
          password.focus();
          throw refusal(status, content, "wrongPassword");
        },
      }));
      show(h("main", null, h("div", { class: "card entrance" }, parts)));
      return (note ? heading : email).focus();
    }
    parts.push(h("p", null, t("signInElsewhere")), h("div", { class: "actions" }, button(t("reload"), start), service.signInPage && h("a", { class: "button main", href: service.signInPage }, t("signIn"))));
    show(h("main", null, h("div", { class: "card entrance" }, parts)));
    heading.focus();
  }

  function refusal(status, content, unauthorized) {
    const key = { BANNED_USER: "bannedCaller", TWO_FACTOR_REQUIRED: "secondFactor", ACCOUNT_TEMPORARILY_LOCKED: "locked" }[content?.code] ?? { 401: unauthorized, 429: "tooMany" }[status];
    return Object.assign(new Problem(status), key && { message: t(key) });
  }

  // The second step of an account with a second factor.
  function enterCode() {
    const code = h("input", { name: "code", autocomplete: "one-time-code", required: true });
    const trust = h("input", { type: "checkbox", name: "trust" });
    const node = form({
      fields: [field(t("code"), code, { hint: t("codeHint") }), h("label", { class: "choice" }, trust, t("trustDevice"))],
      buttons: [button(t("cancel"), () => enter()), submit(t("signIn"))],
      action: async () => {
        const text = code.value.trim();
        const isCode = /^\d{6}$/.test(text.replaceAll(" ", ""));
        const { status, content } = await send("POST", `${service.signIn}/two-factor/verify-${isCode ? "totp" : "backup-code"}`, { body: { code: isCode ? text.replaceAll(" ", "") : text, trustDevice: trust.checked } });
        if (status === 200) return start();
        if (content?.code === "INVALID_TWO_FACTOR_COOKIE") return enter(t("codeExpired"));
        code.value = "";
        code.focus();
        throw refusal(status, content, "wrongCode");
      },
    });
    show(h("main", null, h("div", { class: "card entrance" }, mark(), title(), node)));
    code.focus();
  }

  async function leave() {
    const asking = caller;
    const { status } = await send("POST", `${service.signIn}/sign-out`, { body: {} }).catch((error) => ({ status: error.status }));
    // Ignore a second click.
    if (asking !== caller) return;
    if (status === 200) return enter(t("signedOut"), true);
    tell(new Problem(status).message);
  }

  function bar() {
    return h("header", { class: "bar" }, mark(), title(), h("span", { class: "host muted" }, location.hostname),
      caller && h("div", { class: "who" }, h("span", { class: "name" }), rolePill(caller.role), canSignIn && button(t("signOut"), leave, "quiet")));
  }
  function showName(user) {
    const place = document.querySelector(".bar .name");
    if (place) place.textContent = nameOf(user);
  }
  const readOwn = () => call("GET", pathOf(caller)).then(({ data }) => data, (error) => {
    if (error.status !== 404) throw error;
    return { id: caller.id, name: caller.id, email: "", role: caller.role };
  });

  function showOwn(own) {
    const rows = [[t("email"), own.email], [t("id"), own.id], [t("created"), time(own.createdAt, timeFormat)], [t("verification"), t(own.emailVerified ? "yes" : "no")]];
    show(bar(), h("main", null, h("div", { class: "card own" }, h("div", { class: "person" }, avatar(own, "large"), h("div", null, h("h2", null, nameOf(own)), statusPills(own))),
      h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", null, label), h("dd", null, value)])), h("p", { class: "muted" }, t("ownRecord")))));
    showName(own);
  }

  async function start() {
    try {
      const { status, content } = await send("GET", "?caller");
      if (status !== 200) throw new Problem(status);
      caller = content;
      if (!caller) return enter();
      if (caller.role === "user") return showOwn(await readOwn());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 401) return;
      return show(h("main", null, h("div", { class: "card entrance" }, mark(), title(), h("div", { class: "notice bad", role: "alert" }, error.message), h("div", { class: "actions" }, button(t("reload"), start, "main")))));
    }
    list = makeList();
    show(bar(), h("main", null, list.nodes));
    list.refresh();
    // A failure shows in the list as well.
    readOwn().then(showName, (error) => {
      if (!(error instanceof Problem)) throw error;
    });
    await restore();
  }

  addEventListener("popstate", follow);
  show(bar(), h("main", { "aria-busy": "true" }, h("p", { class: "none" }, t("loading"))));
  start();
})();
