#include "api/openapi.hpp"

#include "json/writer.hpp"

namespace useradmin::api {

std::string openapi_document(std::string_view base) {
    std::string document;
    json::Writer writer(document);
    writer.begin_object().key("openapi").string("3.1.0");
    writer.key("info").begin_object().key("title").string("User administration");
    writer.key("version").string("1").end_object();
    writer.key("servers").begin_array().begin_object().key("url").string(base);
    writer.end_object().end_array().key("paths").begin_object().end_object().end_object();
    return document;
}

} // namespace useradmin::api
