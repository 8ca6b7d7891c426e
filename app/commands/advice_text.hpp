#pragma once

#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The diagnoses of a point under a heading: each with its evidence and what would repair it. "" where it has none.
std::string advice_text(const std::vector<Diagnosis>& diagnoses);
std::string advice_text(const Measurement& point);

}  // namespace tilescope
