// The interface as an OpenAPI document.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::api {

/// The OpenAPI 3.1 document, JSON, of the service at a base address.
std::string openapi_document(std::string_view base);

} // namespace useradmin::api
