#pragma once

#include <string>

#include "profiler/service/requests/run_file.hpp"

namespace tilescope {

/// A line for each buffer that was compared with expected values; the wrong ones are described by the findings.
std::string compared_text(const LaunchedPoint& point);

}  // namespace tilescope
