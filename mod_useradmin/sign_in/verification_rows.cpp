#include "sign_in/verification_rows.hpp"

#include "crypto/random.hpp"

#include <string>
#include <vector>

namespace useradmin::sign_in {

model::VerificationValue verification_row(std::string_view identifier, std::string_view value,
                                          text::Timestamp now, std::chrono::seconds lifetime) {
    return {{}, identifier, value, now + lifetime, now, now};
}

store::Result<store::Done> change_second_factor(const Service& service,
                                                store::SecondFactorChange change) {
    std::vector<std::string> ids(change.added.size());
    for (std::size_t index = 0; index < ids.size(); ++index) {
        ids[index] = crypto::random_uuid();
        change.added[index].id = ids[index];
    }
    return service.store.change_second_factor(change);
}

} // namespace useradmin::sign_in
