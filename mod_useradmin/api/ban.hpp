// The changes of a ban, for the interface and the command line.
#pragma once

#include "store/store.hpp"

namespace useradmin::api {

/// Returns the changes of a ban with its reason and expiry, both optional. The text must outlive
/// the result.
inline store::Changes ban(model::NullableText reason, model::NullableTime expires,
                          text::Timestamp now) {
    return {{"banned", true},
            {"banReason", reason ? model::Value(*reason) : model::Value()},
            {"banExpires", expires ? model::Value(*expires) : model::Value()},
            {"updatedAt", now}};
}

/// Returns the changes that lift a ban.
inline store::Changes unban(text::Timestamp now) {
    return {{"banned", false}, {"banReason", {}}, {"banExpires", {}}, {"updatedAt", now}};
}

} // namespace useradmin::api
