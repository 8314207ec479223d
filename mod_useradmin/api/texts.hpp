// Message texts of the API: those of section 7 of the specification, then additional ones.
#pragma once

#include <string_view>

namespace useradmin::api::texts {

inline constexpr std::string_view no_session = "No autorizado";
inline constexpr std::string_view list_forbidden = "No tienes permisos para ver usuarios";
inline constexpr std::string_view get_forbidden = "No tienes permisos";
inline constexpr std::string_view create_forbidden = "No tienes permisos para crear usuarios";
inline constexpr std::string_view create_role_forbidden =
    "Solo puedes crear usuarios con rol 'user'";
inline constexpr std::string_view update_forbidden = "No tienes permisos para editar usuarios";
inline constexpr std::string_view update_role_forbidden =
    "No tienes permisos para cambiar roles o banear usuarios";
inline constexpr std::string_view delete_forbidden = "No tienes permisos para eliminar usuarios";
inline constexpr std::string_view delete_protected =
    "No se puede eliminar el usuario administrador principal";
inline constexpr std::string_view fields_missing = "Faltan campos requeridos";
inline constexpr std::string_view email_taken = "El email ya está registrado";
inline constexpr std::string_view delete_self = "No puedes eliminar tu propio usuario";
inline constexpr std::string_view not_found = "Usuario no encontrado";
inline constexpr std::string_view list_failed = "Error al obtener usuarios";
inline constexpr std::string_view get_failed = "Error al obtener usuario";
inline constexpr std::string_view create_failed = "Error al crear usuario";
inline constexpr std::string_view update_failed = "Error al actualizar usuario";
inline constexpr std::string_view delete_failed = "Error al eliminar usuario";

// Not in the specification.
inline constexpr std::string_view deleted = "Usuario eliminado correctamente";
inline constexpr std::string_view last_super_admin = "Debe quedar al menos un superAdmin";
inline constexpr std::string_view user_changed = "El usuario ha cambiado";
inline constexpr std::string_view origin_not_allowed = "Origen no permitido";
// UserAdminExtras.
inline constexpr std::string_view sessions_forbidden = "No tienes permisos para gestionar sesiones";
inline constexpr std::string_view password_forbidden =
    "No tienes permisos para cambiar contraseñas";
inline constexpr std::string_view ban_forbidden = "No tienes permisos para banear usuarios";
inline constexpr std::string_view second_factor_forbidden =
    "No tienes permisos para quitar el segundo factor";
inline constexpr std::string_view session_not_found = "Sesión no encontrada";
inline constexpr std::string_view no_second_factor = "El usuario no tiene segundo factor";
inline constexpr std::string_view password_too_short = "La contraseña es demasiado corta";
inline constexpr std::string_view password_too_long = "La contraseña es demasiado larga";
inline constexpr std::string_view ban_self = "No puedes banear tu propio usuario";
inline constexpr std::string_view ban_in_the_past = "El baneo debe terminar en el futuro";
inline constexpr std::string_view sessions_ended = "Sesiones cerradas correctamente";
inline constexpr std::string_view session_ended = "Sesión cerrada correctamente";
inline constexpr std::string_view password_set = "Contraseña cambiada correctamente";
inline constexpr std::string_view second_factor_reset = "Segundo factor quitado correctamente";
inline constexpr std::string_view sessions_failed = "Error al obtener sesiones";
inline constexpr std::string_view end_sessions_failed = "Error al cerrar sesiones";
inline constexpr std::string_view password_failed = "Error al cambiar la contraseña";
inline constexpr std::string_view ban_failed = "Error al banear usuario";
inline constexpr std::string_view unban_failed = "Error al desbanear usuario";
inline constexpr std::string_view second_factor_failed = "Error al quitar el segundo factor";

inline constexpr std::string_view method_not_allowed = "Método no permitido";
inline constexpr std::string_view body_too_large = "El cuerpo de la petición es demasiado grande";
inline constexpr std::string_view unavailable = "Servicio no disponible temporalmente";
inline constexpr std::string_view bad_request = "Petición incorrecta";
inline constexpr std::string_view openapi_failed = "Error al describir la interfaz";
inline constexpr std::string_view request_timed_out = "Tiempo de espera agotado";
inline constexpr std::string_view too_many_requests = "Demasiadas peticiones";

} // namespace useradmin::api::texts
