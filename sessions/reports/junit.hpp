#pragma once

#include <string>

#include "sessions/compare/regression_gate.hpp"

namespace tilescope {

/// JUnit XML: a test case for every experiment, a failure for one that regressed or is broken, an error for one that could
/// not be decided.
std::string junit_xml(const GateReport& report, const std::string& name);

}  // namespace tilescope
