// Texts in English and Spanish. A failed request shows the text of its status. For more specific messages, the keys are the
// service's Spanish messages. If an entry has no Spanish text, its key is shown. Keys in capitals are better-auth's error
// codes.

/** @typedef {keyof typeof texts} TextKey */

const texts = {
  title: ["Users", "Usuarios"],
  signIn: ["Sign in", "Iniciar sesión"],
  signOut: ["Sign out", "Cerrar sesión"],
  signInElsewhere: ["Sign in to the application first, then come back to this page.", "Inicia sesión primero en la aplicación y vuelve después a esta página."],
  signedOut: ["You have signed out.", "Has cerrado la sesión."],
  wrongPassword: ["Wrong email or password.", "Correo o contraseña incorrectos."],
  BANNED_USER: ["This account is banned.", "Esta cuenta está bloqueada."],
  TWO_FACTOR_REQUIRED: ["This account has a second factor. Sign in to the application first, then come back to this page.", "Esta cuenta tiene un segundo factor. Inicia sesión primero en la aplicación y vuelve después a esta página."],
  INVALID_ORIGIN: ["The origin of this page is not allowed.", "Origen no permitido"],
  code: ["Code", "Código"],
  codeHint: ["From your authenticator app, or a backup code.", "De tu aplicación de autenticación, o un código de respaldo."],
  trustDevice: ["Trust this device for 30 days", "Confiar en este dispositivo durante 30 días"],
  wrongCode: ["Wrong code.", "Código incorrecto."],
  ACCOUNT_TEMPORARILY_LOCKED: ["Too many wrong codes. Wait 15 minutes and try again.", "Demasiados códigos incorrectos. Espera 15 minutos y vuelve a intentarlo."],
  tooManyCodes: ["Too many wrong codes. Sign in again.", "Demasiados códigos incorrectos. Inicia sesión de nuevo."],
  codeExpired: ["That took too long. Sign in again.", "Ha pasado demasiado tiempo. Inicia sesión de nuevo."],
  loading: ["Loading …", "Cargando …"],
  reload: ["Reload", "Cargar de nuevo"],
  email: ["Email", "Correo"],
  password: ["Password", "Contraseña"],
  name: ["Name", "Nombre"],
  role: ["Role", "Rol"],
  status: ["Status", "Estado"],
  emailVerified: ["Email verified", "Correo verificado"],
  image: ["Picture", "Imagen"],
  created: ["Created", "Creación"],
  createdFrom: ["Created from", "Creado desde"],
  createdTo: ["Created to", "Creado hasta"],
  lastSeen: ["Last activity", "Última actividad"],
  seen: ["In the last 30 days", "En los últimos 30 días"],
  unseen90: ["Not in the last 90 days", "No en los últimos 90 días"],
  unseen365: ["Not in the last year", "No en el último año"],
  updated: ["Last change", "Último cambio"],
  id: ["ID", "Identificador"],
  user: ["User", "Usuario"],
  superAdmin: ["Super admin", "Superadministrador"],
  admin: ["Admin", "Administrador"],
  you: ["you", "tú"],
  banned: ["Banned", "Bloqueado"],
  notBanned: ["Not banned", "Sin bloqueo"],
  hasBan: ["Banned, or ban expired", "Bloqueo, aun terminado"],
  banOver: ["Ban expired", "Bloqueo terminado"],
  unverified: ["Not verified", "Sin verificar"],
  yes: ["Yes", "Sí"],
  no: ["No", "No"],
  all: ["All", "Todos"],
  protectedUser: ["Cannot be deleted", "No se puede eliminar"],
  total: ["users in total", "usuarios en total"],
  "total.one": ["user in total", "usuario en total"],
  totalOfAdmin: ["users with the role “User”", "usuarios con el rol «Usuario»"],
  "totalOfAdmin.one": ["user with the role “User”", "usuario con el rol «Usuario»"],
  bannedCount: ["{count} banned, including expired bans", "{count} bloqueados, incluidos los bloqueos terminados"],
  "bannedCount.one": ["{count} banned, including expired bans", "{count} bloqueado, incluidos los bloqueos terminados"],
  unverifiedCount: ["{count} not verified", "{count} sin verificar"],
  newByDay: ["New users by day", "Usuarios nuevos por día"],
  newInDays: ["{count} in {days} days", "{count} en {days} días"],
  search: ["Search by name, email or id", "Buscar por nombre, correo o id"],
  filters: ["Filters", "Filtros"],
  columns: ["Columns", "Columnas"],
  sort: ["Sort by", "Orden"],
  "createdAt desc": ["Newest first", "Más recientes primero"],
  "createdAt asc": ["Oldest first", "Más antiguos primero"],
  "updatedAt desc": ["Recently changed first", "Últimos cambios primero"],
  "updatedAt asc": ["Least recently changed first", "Cambios antiguos primero"],
  "name asc": ["Name, A to Z", "Nombre, de la A a la Z"],
  "name desc": ["Name, Z to A", "Nombre, de la Z a la A"],
  "email asc": ["Email, A to Z", "Correo, de la A a la Z"],
  "email desc": ["Email, Z to A", "Correo, de la Z a la A"],
  "lastSeen desc": ["Recently active first", "Actividad reciente primero"],
  "lastSeen asc": ["Longest inactive first", "Más inactivos primero"],
  newUser: ["New user", "Nuevo usuario"],
  range: ["{from}–{to} of {total}", "{from}–{to} de {total}"],
  found: ["{count} users found", "{count} usuarios encontrados"],
  "found.one": ["{count} user found", "{count} usuario encontrado"],
  readOnly: ["This is a read-only copy of the database. Its last change was made on {time}.", "Solo lectura: una copia de la base de datos. Su último cambio es de {time}."],
  noneFound: ["No users match.", "Ningún usuario coincide."],
  clear: ["Clear search and filters", "Quitar búsqueda y filtros"],
  pages: ["Pages", "Páginas"],
  perPage: ["Per page", "Por página"],
  page: ["Page", "Página"],
  ofPages: ["of {count}", "de {count}"],
  previous: ["Previous", "Anterior"],
  next: ["Next", "Siguiente"],
  saveCsv: ["Save as CSV", "Guardar como CSV"],
  csvSaved: ["{count} users have been saved.", "Se han guardado {count} usuarios."],
  "csvSaved.one": ["{count} user has been saved.", "Se ha guardado {count} usuario."],
  close: ["Close", "Cerrar"],
  cancel: ["Cancel", "Cancelar"],
  save: ["Save changes", "Guardar cambios"],
  saved: ["Saved.", "Guardado."],
  discardTitle: ["Discard your edits?", "¿Descartar lo escrito?"],
  discard: ["Discard", "Descartar"],
  keepEditing: ["Keep editing", "Seguir editando"],
  restored: ["Your edits have been restored. They are not saved yet.", "Lo que escribiste sigue aquí. Aún no se ha guardado."],
  perhapsTaken: ["Perhaps another user has this email.", "Quizá otro usuario tenga este correo."],
  unchanged: ["Nothing has changed.", "No hay cambios."],
  giveRoleTitle: ["Give {name} the role “{role}”?", "¿Dar a {name} el rol «{role}»?"],
  giveRole: ["Give the role", "Dar el rol"],
  giveAdmin: ["Admins can list and create users and change their names and emails.", "Los administradores pueden ver y crear usuarios y cambiar sus nombres y correos."],
  giveSuperAdmin: ["Super admins can do everything, including changing roles, banning and deleting users.", "Los superadministradores pueden hacerlo todo, también cambiar roles, bloquear y eliminar."],
  create: ["Create user", "Crear usuario"],
  createdUser: ["{name} has been created.", "Se ha creado {name}."],
  open: ["Open", "Abrir"],
  copyEmail: ["Copy the email", "Copiar el correo"],
  copyId: ["Copy the ID", "Copiar el identificador"],
  copyLink: ["Copy a link to this user", "Copiar un enlace a este usuario"],
  copyPassword: ["Copy the password", "Copiar la contraseña"],
  copied: ["Copied.", "Copiado."],
  notCopied: ["The browser did not allow copying.", "El navegador no ha permitido copiar."],
  profile: ["Profile", "Perfil"],
  ownRole: ["You would lose the rights of your current role.", "Perderías los permisos de tu rol actual."],
  loadKeeping: ["Reload and keep my edits", "Cargar de nuevo y conservar lo escrito"],
  changedTo: ["{field} is now “{value}”.", "{field} es ahora «{value}»."],
  access: ["Access", "Acceso"],
  ban: ["Ban", "Bloquear"],
  banTitle: ["Ban {name}", "Bloquear a {name}"],
  unban: ["Lift the ban", "Levantar el bloqueo"],
  bannedNow: ["{name} is banned.", "{name} está bloqueado."],
  unbannedNow: ["The ban has been lifted.", "Se ha levantado el bloqueo."],
  undo: ["Undo", "Deshacer"],
  stayEnded: ["Sessions ended by the ban are not restored.", "Las sesiones que cerró el bloqueo no se restauran."],
  banReason: ["Reason", "Motivo"],
  reasonHint: ["Visible to administrators.", "Lo ven los administradores."],
  banExpires: ["Until", "Hasta"],
  bannedUntil: ["Banned until {time}", "Bloqueado hasta {time}"],
  forever: ["Until it is lifted", "Hasta que alguien lo levante"],
  "day.1": ["One day", "Un día"],
  "day.7": ["One week", "Una semana"],
  "day.30": ["30 days", "30 días"],
  date: ["A date …", "Una fecha …"],
  dateAndTime: ["Date and time", "Fecha y hora"],
  past: ["This time is in the past.", "Ese momento ya ha pasado."],
  tooFar: ["The year must be 9999 or earlier.", "El año debe ser 9999 o anterior."],
  sessions: ["Sessions", "Sesiones"],
  noSessions: ["No open sessions.", "No hay sesiones abiertas."],
  endSession: ["End", "Cerrar"],
  endSessionOf: ["End the session {device}", "Cerrar la sesión {device}"],
  endAll: ["End all", "Cerrar todas"],
  endedSession: ["The session has ended.", "Se ha cerrado la sesión."],
  endedAll: ["All sessions have ended.", "Se han cerrado todas las sesiones."],
  endOwnTitle: ["End one of your own sessions?", "¿Cerrar una sesión tuya?"],
  endOwnLead: ["You may have to sign in again.", "Quizá tengas que iniciar sesión de nuevo."],
  endOwn: ["End session", "Cerrarla"],
  thisSession: ["this session", "esta sesión"],
  since: ["since {time}", "desde {time}"],
  on: ["{browser} on {system}", "{browser} en {system}"],
  unknownDevice: ["Unknown device", "Dispositivo desconocido"],
  methods: ["Sign-in methods", "Formas de acceso"],
  noMethods: ["This user cannot sign in.", "Este usuario no puede iniciar sesión."],
  accountAt: ["Account: {provider}", "Cuenta: {provider}"],
  "method.second-factor": ["Second factor", "Segundo factor"],
  "method.passkey": ["Passkey", "Llave de acceso"],
  "method.api-key": ["API key", "Clave de API"],
  disabled: ["disabled", "desactivada"],
  validUntil: ["until {time}", "hasta {time}"],
  removeMethod: ["Remove", "Quitar"],
  removeMethodOf: ["Remove {name}", "Quitar {name}"],
  removeMethodTitle: ["Remove “{method}” of {name}?", "¿Quitar «{method}» de {name}?"],
  removeMethodLead: ["This user can no longer sign in with it. Open sessions stay open.", "Este usuario ya no podrá iniciar sesión así. Las sesiones abiertas siguen."],
  removedMethod: ["The sign-in method has been removed.", "Se ha quitado."],
  history: ["History", "Historial"],
  noHistory: ["No events are recorded.", "No hay eventos registrados."],
  earlier: ["Show earlier", "Mostrar anteriores"],
  by: ["by {name}", "por {name}"],
  byAs: ["by {real} as {name}", "por {real} como {name}"],
  byYou: ["you", "ti"],
  "event.create": ["Created", "Creación"],
  "event.update": ["Changed", "Cambio"],
  "event.delete": ["Deleted", "Eliminación"],
  "event.import": ["Imported", "Importación"],
  "event.role": ["Role changed", "Cambio de rol"],
  "event.ban": ["Banned", "Bloqueo"],
  "event.unban": ["Ban lifted", "Bloqueo levantado"],
  "event.set-password": ["New password", "Nueva contraseña"],
  "event.passwd": ["New password", "Nueva contraseña"],
  "event.send-password-link": ["Password link sent", "Enlace de contraseña enviado"],
  "event.send-verification-link": ["Verification link sent", "Enlace de verificación enviado"],
  "event.end-session": ["Session ended", "Sesión cerrada"],
  "event.end-sessions": ["All sessions ended", "Todas las sesiones cerradas"],
  "event.list-sessions": ["Sessions viewed", "Consulta de sesiones"],
  "event.list-events": ["History viewed", "Consulta del historial"],
  "event.get": ["Read", "Consulta"],
  "event.remove-sign-in-method": ["Sign-in method removed", "Forma de acceso quitada"],
  "event.list-sign-in-methods": ["Sign-in methods viewed", "Consulta de formas de acceso"],
  "event.reset-second-factor": ["Second factor removed", "Segundo factor quitado"],
  "event.second-factor reset": ["Second factor removed", "Segundo factor quitado"],
  "event.sign-in": ["Signed in", "Inicio de sesión"],
  "event.sign-out": ["Signed out", "Cierre de sesión"],
  "event.verify-totp": ["Code entered", "Código introducido"],
  "event.verify-backup-code": ["Backup code used", "Código de respaldo usado"],
  "event.session open": ["Session opened", "Sesión abierta"],
  "event.session revoke": ["Sessions ended", "Sesiones cerradas"],
  "event.key create": ["API key created", "Clave de API creada"],
  "event.key revoke": ["API key deleted", "Clave de API eliminada"],
  "event.impersonate-user": ["Impersonated", "Suplantación"],
  "event.stop-impersonating": ["Impersonation ended", "Fin de la suplantación"],
  "result.refused": ["refused", "rechazado"],
  "result.failed": ["failed", "fallido"],
  "result.unknown": ["outcome unknown", "resultado desconocido"],
  setPassword: ["Set a password", "Cambiar la contraseña"],
  passwordTitle: ["New password for {name}", "Nueva contraseña para {name}"],
  passwordHint: ["{least} to {most} characters.", "De {least} a {most} caracteres."],
  endsSessions: ["This ends all sessions of this user.", "Esto cierra todas las sesiones de este usuario."],
  passwordSet: ["The password has been set.", "Se ha cambiado la contraseña."],
  sendPasswordLink: ["Send a link to set a password", "Enviar un enlace para elegir una contraseña"],
  sendVerificationLink: ["Send a link to verify the address", "Enviar un enlace para verificar el correo"],
  linkSent: ["The link has been sent to {email}.", "Se ha enviado el enlace a {email}."],
  invite: ["Send an invitation", "Enviar una invitación"],
  generate: ["Generate", "Generar"],
  show: ["Show", "Mostrar"],
  hide: ["Hide", "Ocultar"],
  resetFactor: ["Reset second factor", "Quitar el segundo factor"],
  resetFactorTitle: ["Reset the second factor of {name}?", "¿Quitar el segundo factor de {name}?"],
  resetFactorLead: ["The user can then sign in with the password alone until a new factor is set up. Trusted devices are forgotten.", "Después basta la contraseña para entrar, hasta que se configure otro factor. Se olvidan los dispositivos de confianza."],
  factorReset: ["The second factor has been removed.", "Se ha quitado el segundo factor."],
  remove: ["Delete user", "Eliminar usuario"],
  removeTitle: ["Delete {name}?", "¿Eliminar a {name}?"],
  removeLead: ["This is permanent and includes all sessions and accounts. To confirm, type:", "Es para siempre e incluye todas las sesiones y cuentas. Para confirmar, escribe:"],
  removed: ["{name} has been deleted.", "Se ha eliminado a {name}."],
  notTheSame: ["This does not match.", "No coincide."],
  selected: ["{count} selected", "{count} seleccionados"],
  "selected.one": ["{count} selected", "{count} seleccionado"],
  selectUser: ["Select {name}", "Seleccionar a {name}"],
  selectPage: ["Select this page", "Seleccionar esta página"],
  selectAll: ["Select all {count} matching users", "Seleccionar los {count} que coinciden"],
  mostSelected: ["At most {count} can be selected.", "Se pueden seleccionar {count} como máximo."],
  clearSelection: ["Clear selection", "Quitar selección"],
  users: ["{count} users", "{count} usuarios"],
  "users.one": ["{count} user", "{count} usuario"],
  skipped: ["Skipped: {who}.", "Se omite: {who}."],
  protectedOne: ["the protected user", "el usuario protegido"],
  endSessions: ["End sessions", "Cerrar sesiones"],
  removeMany: ["Delete", "Eliminar"],
  stop: ["Stop", "Parar"],
  tryAgain: ["Try again", "Reintentar"],
  progress: ["{done} of {total}", "{done} de {total}"],
  doneCount: ["Done: {count}.", "Hecho: {count}."],
  failedCount: ["Failed: {count}.", "Sin éxito: {count}."],
  leftCount: ["Not started: {count}.", "Sin empezar: {count}."],
  keys: ["Keyboard shortcuts", "Atajos de teclado"],
  useKeys: ["Use shortcuts without Ctrl", "Usar las teclas sin Ctrl"],
  selectRow: ["Select", "Seleccionar"],
  missing: ["Enter a value.", "Escribe un valor."],
  "missing.name": ["Enter a name.", "Escribe un nombre."],
  "missing.email": ["Enter an email address.", "Escribe un correo."],
  "missing.password": ["Enter a password.", "Escribe una contraseña."],
  noTime: ["Enter a date and time.", "Escribe fecha y hora."],
  noNumber: ["Enter a whole number.", "No es un número entero."],
  noEmail: ["Enter a valid email address.", "No es un correo válido."],
  length: ["Enter {least} to {most} characters.", "Debe tener de {least} a {most} caracteres."],
  ownRecord: ["Only administrators can see other users.", "Solo los administradores ven a los demás usuarios."],
  stillAccepted: ["The application still accepts the user's sessions until its storage can be reached.", "La aplicación acepta las sesiones del usuario hasta que se pueda contactar con su almacén."],
  cachedFor: ["The application may accept the user's sessions from its cache for up to {time}.", "La aplicación puede aceptar las sesiones del usuario desde su caché durante {time} como máximo."],
  failed: ["The request failed (status {status}).", "No ha funcionado (estado {status})."],
  unknownOutcome: ["It is unknown whether this was done. Reload before you try again.", "No se sabe si se ha hecho. Carga de nuevo antes de reintentarlo."],
  "status.0": ["The server could not be reached. Try again.", "No se ha podido contactar con el servidor. Inténtalo de nuevo."],
  "status.400": ["The service did not accept a value.", "El servicio no ha aceptado un valor."],
  "status.401": ["Your session has ended. Sign in again.", "Tu sesión ha terminado. Inicia sesión de nuevo."],
  "status.403": ["You may not do this.", "No tienes permisos."],
  "status.404": ["This no longer exists.", "Ya no existe."],
  "status.412": ["Somebody has changed this user in the meantime. Nothing was saved.", "Alguien ha cambiado este usuario mientras tanto y no se ha guardado nada."],
  "status.429": ["Too many requests. Try again later.", "Demasiadas peticiones. Inténtalo más tarde."],
  "status.503": ["The service is busy. Try again in a moment.", "El servicio está ocupado. Inténtalo de nuevo."],
  "Solo puedes crear usuarios con rol 'user'": ["You may create only users with the role 'user'.", "Solo puedes crear usuarios con el rol «Usuario»."],
  "No se puede eliminar el usuario administrador principal": ["The main administrator cannot be deleted."],
  "El email ya está registrado": ["Another user has this email.", "Otro usuario ya tiene este correo."],
  "Error al actualizar usuario": ["The user could not be changed.", "No se ha podido cambiar el usuario."],
  "Debe quedar al menos un superAdmin": ["At least one superAdmin must remain.", "Debe quedar al menos un superadministrador."],
  "Origen no permitido": ["The origin of this page is not allowed."],
  "El baneo debe terminar en el futuro": ["The ban must end in the future.", "El bloqueo debe terminar en el futuro."],
  "El usuario no tiene segundo factor": ["This user has no second factor."],
  "No se puede enviar correo a este email": ["Mail cannot be sent to this address.", "No se pueden enviar mensajes a este correo."],
  "Error al enviar el enlace": ["The link could not be sent."],
  "Error al enviar la invitación; no se ha creado el usuario": ["The invitation could not be sent. The user was not created."],
};
const language = (navigator.languages ?? [navigator.language]).map((each) => each.slice(0, 2).toLowerCase()).find((each) => each === "en" || each === "es") ?? "en";
const column = language === "es" ? 1 : 0;
/**
 * Removes bidirectional controls, which could make a name look like another one.
 * @param {string} text
 */
const ordered = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
/**
 * Isolates right-to-left values. Otherwise, a value could reorder the sentence.
 * @param {unknown} value
 */
const apart = (value) => ordered(String(value)).replace(/^.*[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc].*$/su, "\u2068$&\u2069");
/** @type {(key: TextKey, values?: Record<string, unknown>) => string} */
const t = (key, values = {}) => (texts[key][column] ?? key).replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number.format(values[name]) : apart(values[name])));
/** @type {(key: string) => key is TextKey} */
const isText = (key) => Object.hasOwn(texts, key);
document.documentElement.lang = language;
document.title = service.title || t("title");

const locale = navigator.languages?.find((each) => each.toLowerCase().startsWith(language)) ?? language;
const number = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
/**
 * Returns the text for a count, with a singular form if the text has one. While the count is being read, it is null.
 * @param {TextKey} key
 * @param {number | null} count
 */
function counted(key, count) {
  const singular = `${key}.one`;
  const isOne = count !== null && plurals.select(count) === "one";
  return t(isOne && isText(singular) ? singular : key, { count: count ?? "…" });
}
/** @param {number} seconds */
const duration = (seconds) => new Intl.NumberFormat(locale, { style: "unit", unit: seconds % 60 ? "second" : "minute", unitDisplay: "long" }).format(seconds % 60 ? seconds : seconds / 60);
const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const timeFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
/**
 * Returns the browser's local time in ISO 8601 format. The "Z" at the end is wrong, so callers cut it off.
 * @param {Date} time
 */
const localTime = (time) => new Date(time.getTime() - time.getTimezoneOffset() * 60000).toISOString();
/** @param {string} text */
const timeText = (text) => timeFormat.format(new Date(text));
/** @param {unknown[]} parts falsy ones are omitted */
const joined = (parts, separator = " ") => parts.filter(Boolean).join(separator);
const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
/**
 * Returns the text without invisible characters.
 * @param {string} text
 */
const visible = (text) => text.normalize("NFC").replace(/[\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/gu, "").trim();
const widest = 80;
/**
 * Shortens long text to 80 characters and an ellipsis. Removes bidirectional controls.
 * @param {string} text
 */
function brief(text) {
  const shown = ordered(text);
  const letters = [...shown.slice(0, 2 * widest + 2)];
  return letters.length > widest ? `${letters.slice(0, widest).join("")}…` : shown;
}
/** @param {Pick<User, "id" | "name" | "email">} user */
const nameOf = (user) => brief([user.name, user.email].find(visible) ?? user.id);
/** @type {(role: string) => role is "admin" | "superAdmin"} */
const isPrivileged = (role) => role === "admin" || role === "superAdmin";
/** @param {string} role */
const nameOfRole = (role) => (role === "user" ? t("user") : isPrivileged(role) ? t(role) : role);
