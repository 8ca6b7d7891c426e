#pragma once

#include <string>

namespace tilescope {

/// The time now as ISO 8601 in UTC, to the second: "2025-11-02T14:03:59Z".
std::string utc_now();

}  // namespace tilescope
