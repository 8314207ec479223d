// What a running server tells its operator.
#pragma once

#include "httpd/figures.hpp"
#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// In log_transaction, with the client's request: counts it, now that it was answered. The
/// operation is empty where it was none.
void count_request(const request_rec* first, const Figures& figures, std::string_view operation);

/// The handler of `SetHandler useradmin-metrics`, which either module registers. DECLINED for all
/// other requests.
int answer_operator(request_rec* request, const module& owner) noexcept;

} // namespace useradmin::httpd
