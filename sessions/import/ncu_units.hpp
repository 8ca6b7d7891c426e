#pragma once

#include <optional>
#include <string>

namespace tilescope {

/// The number of a cell of Nsight Compute: "1,234.5", "4.0e-05", "12 (3; 4; 5)" with the values of its instances. None
/// for a text ("n/a", "CachePreferNone"). Throws std::invalid_argument for digits that are grouped in another way than
/// by commas, which say another number in another language.
std::optional<double> ncu_number(const std::string& cell);

/// Factor from a unit to ncu's base unit: ns for times, bytes, seconds below a fraction bar. 1 for units that
/// have no larger or smaller ones ("%", "inst", "").
double ncu_scale(const std::string& unit);

/// Whether a unit is one of time: "ns", "usecond".
bool is_time(const std::string& unit);

}  // namespace tilescope
