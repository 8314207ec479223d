// What a ban is, for the interface and for the command line.
#pragma once

#include "store/store.hpp"

namespace useradmin::api {

/// What a ban sets: why, and until when; nothing: for no reason, for good. The text must outlive
/// it.
inline store::Changes ban(model::NullableText reason, model::NullableTime expires,
                          text::Timestamp now) {
    return {{"banned", true},
            {"banReason", reason ? model::Value(*reason) : model::Value()},
            {"banExpires", expires ? model::Value(*expires) : model::Value()},
            {"updatedAt", now}};
}

/// What sets all of that back.
inline store::Changes unban(text::Timestamp now) {
    return {{"banned", false}, {"banReason", {}}, {"banExpires", {}}, {"updatedAt", now}};
}

} // namespace useradmin::api
