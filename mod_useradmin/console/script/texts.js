// Texts: English, Spanish. The keys of the service's messages are its Spanish texts; those with other words than the console's are replaced.

/** @typedef {keyof typeof texts} TextKey */

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
/**
 * Isolates right-to-left values and removes bidirectional controls, so that a value cannot reorder the sentence.
 * @param {unknown} value
 */
const apart = (value) => String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, "").replace(/^.*[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc].*$/su, "\u2068$&\u2069");
/** @type {(key: TextKey, values?: Record<string, unknown>) => string} */
const t = (key, values = {}) => (texts[key][column] ?? key).replace(/\{(\w+)\}/g, (_, name) => apart(values[name]));
/** @type {(key: string) => key is TextKey} */
const isText = (key) => Object.hasOwn(texts, key);
document.documentElement.lang = language;
document.title = t("title");

const locale = navigator.languages?.find((each) => each.toLowerCase().startsWith(language)) ?? language;
const number = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(locale);
/**
 * Returns the text for a count, in the singular where there is one, or for a count that is still being read.
 * @param {TextKey} key
 * @param {number | null} count
 */
function counted(key, count) {
  const singular = `${key}.one`;
  const isOne = count !== null && plurals.select(count) === "one";
  return t(isOne && isText(singular) ? singular : key, { count: count === null ? "…" : number.format(count) });
}
/** @param {number} seconds */
const duration = (seconds) => new Intl.NumberFormat(locale, { style: "unit", unit: seconds % 60 ? "second" : "minute", unitDisplay: "long" }).format(seconds % 60 ? seconds : seconds / 60);
const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const timeFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
/**
 * Returns the text without invisible characters.
 * @param {string} text
 */
const visible = (text) => text.normalize("NFC").replace(/[\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/gu, "").trim();
const widest = 80;
/**
 * Shortens very long names to a line or two.
 * @param {string} text
 */
function brief(text) {
  const letters = [...text.slice(0, 2 * widest + 2)];
  return letters.length > widest ? `${letters.slice(0, widest).join("")}…` : text;
}
/** @param {Pick<User, "id" | "name" | "email">} user */
const nameOf = (user) => brief([user.name, user.email].find(visible) ?? user.id);
/** @type {(role: string) => role is "admin" | "superAdmin"} */
const isPrivileged = (role) => role === "admin" || role === "superAdmin";
/** @param {string} role */
const nameOfRole = (role) => (role === "user" ? t("roleOfUser") : isPrivileged(role) ? t(role) : role);
