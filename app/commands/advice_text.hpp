#pragma once

#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The diagnoses of a point under a heading: each with its evidence and what would repair it. "" where it has none.
std::string advice_text(const std::vector<Diagnosis>& diagnoses);
/// With the tries of the point behind them.
std::string advice_text(const Measurement& point);

/// The changes of the point that were tried, under a heading: those that gain, the best first, then the others. "" where
/// it has none.
std::string tries_section(const Measurement& point);

}  // namespace tilescope
