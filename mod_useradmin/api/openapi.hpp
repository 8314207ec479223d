// The interface as an OpenAPI document.
#pragma once

#include "api/service.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::api {

/// What a session's token is carried in.
struct TokenCarriers {
    /// The name of the cookie.
    std::string_view cookie;
    /// Whether Authorization: Bearer carries it, too.
    bool bearer = false;
};

/// What the document tells of beside the operations.
struct DocumentSettings {
    /// The path of the base address, decoded and without a slash at its end.
    std::string_view base;
    const OperationSettings& settings;
    /// The most bytes of a request's body.
    std::int64_t max_body = 0;
    /// Nothing where something else than mod_auth_useradmin says who is calling.
    std::optional<TokenCarriers> carriers = {};
    /// Of the user table, as it is.
    std::span<const store::ExtraColumn> columns = {};
};

/// The OpenAPI 3.1 document, JSON, of the service. It has every operation, and of each the
/// parameters, the statuses, texts and headers as they are by the settings.
std::string openapi_document(const DocumentSettings& document_settings);

} // namespace useradmin::api
