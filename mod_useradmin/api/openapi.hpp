#pragma once

#include "api/service.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::api {

/// Where a request may carry its session token or API key.
struct TokenCarriers {
    std::string_view cookie;
    /// Whether Authorization: Bearer is also accepted.
    bool bearer = false;
    /// Whether API keys in x-api-key are accepted.
    bool api_key = false;
};

/// The parts of the document that depend on the configuration.
struct DocumentSettings {
    /// The decoded path of the base address, without a trailing slash.
    std::string_view base;
    const OperationSettings& settings;
    /// The maximum size of a request body in bytes.
    std::int64_t max_body = 0;
    /// std::nullopt if another module authenticates the callers.
    std::optional<TokenCarriers> carriers = {};
    /// The extra columns of the user table.
    std::span<const store::ExtraColumn> columns = {};
};

/// Returns the OpenAPI 3.1 document as JSON. It describes the operations as currently configured.
std::string openapi_document(const DocumentSettings& document_settings);

} // namespace useradmin::api
