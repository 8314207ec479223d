// Column changes that ban and unban a user. Shared by the API and useradminctl.
#pragma once

#include "store/store.hpp"

namespace useradmin::api {

/// Returns the changes that ban a user. Reason and expiry are optional. The reason must outlive the
/// returned changes.
inline store::Changes ban(model::NullableText reason, model::NullableTime expires,
                          text::Timestamp now) {
    return {{"banned", true},
            {"banReason", reason ? model::Value(*reason) : model::Value()},
            {"banExpires", expires ? model::Value(*expires) : model::Value()},
            {"updatedAt", now}};
}

inline store::Changes unban(text::Timestamp now) {
    return {{"banned", false}, {"banReason", {}}, {"banExpires", {}}, {"updatedAt", now}};
}

} // namespace useradmin::api
