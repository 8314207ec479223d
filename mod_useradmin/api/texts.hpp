// The API's messages: first those of section 7 of the specification, then others.
#pragma once

#include "http/language.hpp"

#include <array>
#include <bit>
#include <string_view>

namespace useradmin::api {

/// A message in each language.
struct Text {
    std::string_view spanish;
    std::string_view english;

    constexpr std::string_view in(http::Language language) const noexcept {
        return language == http::Language::english ? english : spanish;
    }
};

struct Texts {
    Text no_session = {"No autorizado", "You are not signed in."};
    Text list_forbidden = {"No tienes permisos para ver usuarios", "You may not list users."};
    Text forbidden = {"No tienes permisos", "You may not do this."};
    Text create_forbidden = {"No tienes permisos para crear usuarios", "You may not create users."};
    Text create_role_forbidden = {"Solo puedes crear usuarios con rol 'user'",
                                  "You may create only users with the role 'user'."};
    Text update_forbidden = {"No tienes permisos para editar usuarios",
                             "You may not edit this user."};
    Text update_role_forbidden = {"No tienes permisos para cambiar roles o banear usuarios",
                                  "You may not change roles or ban users."};
    Text delete_forbidden = {"No tienes permisos para eliminar usuarios",
                             "You may not delete users."};
    Text delete_protected = {"No se puede eliminar el usuario administrador principal",
                             "The main administrator cannot be deleted."};
    Text fields_missing = {"Faltan campos requeridos", "Required fields are missing."};
    Text email_taken = {"El email ya está registrado", "Another user has this email."};
    Text delete_self = {"No puedes eliminar tu propio usuario", "You cannot delete yourself."};
    Text not_found = {"Usuario no encontrado", "This user does not exist."};
    Text list_failed = {"Error al obtener usuarios", "The users could not be read."};
    Text get_failed = {"Error al obtener usuario", "The user could not be read."};
    Text create_failed = {"Error al crear usuario", "The user could not be created."};
    Text update_failed = {"Error al actualizar usuario", "The user could not be changed."};
    Text delete_failed = {"Error al eliminar usuario", "The user could not be deleted."};

    // Not in the specification.
    Text deleted = {"Usuario eliminado correctamente", "The user has been deleted."};
    Text last_super_admin = {"Debe quedar al menos un superAdmin",
                             "At least one superAdmin must remain."};
    Text user_changed = {
        "El usuario ha cambiado",
        "This user has changed in the meantime. Check the current data before you continue."};
    Text origin_not_allowed = {"Origen no permitido", "The origin of this page is not allowed."};
    // For UserAdminExtras.
    Text sessions_forbidden = {"No tienes permisos para gestionar sesiones",
                               "You may not manage sessions."};
    Text password_forbidden = {"No tienes permisos para cambiar contraseñas",
                               "You may not set passwords."};
    Text ban_forbidden = {"No tienes permisos para banear usuarios", "You may not ban users."};
    Text second_factor_forbidden = {"No tienes permisos para quitar el segundo factor",
                                    "You may not reset second factors."};
    Text events_forbidden = {"No tienes permisos para ver el historial",
                             "You may not read the history."};
    Text no_audit_log = {"No hay un registro de auditoría que leer",
                         "There is no audit log to read."};
    Text sign_in_methods_forbidden = {"No tienes permisos para gestionar métodos de acceso",
                                      "You may not manage sign-in methods."};
    Text link_forbidden = {"No tienes permisos para enviar enlaces", "You may not send links."};
    Text email_verified = {"El email ya está verificado", "This email is already verified."};
    Text email_not_mailable = {"No se puede enviar correo a este email",
                               "Mail cannot be sent to this address."};
    Text link_sent = {"Enlace enviado correctamente", "The link has been sent."};
    Text link_failed = {"Error al enviar el enlace", "The link could not be sent."};
    Text invitation_failed = {"Error al enviar la invitación; no se ha creado el usuario",
                              "The invitation could not be sent. The user was not created."};
    Text session_not_found = {"Sesión no encontrada", "This session does not exist."};
    Text no_second_factor = {"El usuario no tiene segundo factor",
                             "This user has no second factor."};
    Text sign_in_method_not_found = {"Método de acceso no encontrado",
                                     "This sign-in method does not exist."};
    Text password_too_short = {"La contraseña es demasiado corta", "The password is too short."};
    Text password_too_long = {"La contraseña es demasiado larga", "The password is too long."};
    Text ban_self = {"No puedes banear tu propio usuario", "You cannot ban yourself."};
    Text ban_in_the_past = {"El baneo debe terminar en el futuro",
                            "The ban must end in the future."};
    Text sessions_ended = {"Sesiones cerradas correctamente", "The sessions have ended."};
    Text session_ended = {"Sesión cerrada correctamente", "The session has ended."};
    Text password_set = {"Contraseña cambiada correctamente", "The password has been set."};
    Text second_factor_reset = {"Segundo factor quitado correctamente",
                                "The second factor has been removed."};
    Text sign_in_method_removed = {"Método de acceso quitado correctamente",
                                   "The sign-in method has been removed."};
    Text sessions_failed = {"Error al obtener sesiones", "The sessions could not be read."};
    Text end_sessions_failed = {"Error al cerrar sesiones", "The sessions could not be ended."};
    Text password_failed = {"Error al cambiar la contraseña", "The password could not be set."};
    Text ban_failed = {"Error al banear usuario", "The user could not be banned."};
    Text unban_failed = {"Error al desbanear usuario", "The ban could not be lifted."};
    Text bulk_failed = {"Error al cambiar usuarios", "The users could not be changed."};
    Text already_done = {"Ya se había hecho", "This had already been done."};
    Text second_factor_failed = {"Error al quitar el segundo factor",
                                 "The second factor could not be removed."};
    Text events_failed = {"Error al obtener el historial", "The history could not be read."};
    Text sign_in_methods_failed = {"Error al obtener métodos de acceso",
                                   "The sign-in methods could not be read."};
    Text remove_sign_in_method_failed = {"Error al quitar el método de acceso",
                                         "The sign-in method could not be removed."};

    Text method_not_allowed = {"Método no permitido", "This method is not allowed."};
    Text body_too_large = {"El cuerpo de la petición es demasiado grande",
                           "The request is too large."};
    Text unavailable = {"Servicio no disponible temporalmente",
                        "The service is busy. Try again in a moment."};
    Text bad_request = {"Petición incorrecta", "The request is not valid."};
    Text openapi_failed = {"Error al describir la interfaz",
                           "The description of the interface is unavailable."};
    Text request_timed_out = {"Tiempo de espera agotado", "The request took too long. Try again."};
    Text too_many_requests = {"Demasiadas peticiones", "Too many requests. Try again later."};
};
inline constexpr Texts texts;

inline auto all_texts() noexcept {
    return std::bit_cast<std::array<Text, sizeof(Texts) / sizeof(Text)>>(texts);
}

} // namespace useradmin::api
