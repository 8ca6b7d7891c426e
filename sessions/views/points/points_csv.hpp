#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/views/points/point_columns.hpp"

namespace tilescope {

/// Rows of the table as comma-separated values (RFC 4180): a header with the units, then one record for each index of
/// `order` into `rows`. Numbers are written in full, without digit groups; a figure that a point does not have is
/// empty.
std::string points_csv(const std::vector<PointRow>& rows, const std::vector<PointColumn>& columns,
                       const std::vector<std::uint32_t>& order);

/// Rows as tab-separated text with the cells as the table shows them, for the clipboard.
std::string points_text(const std::vector<PointRow>& rows, const std::vector<PointColumn>& columns,
                        const std::vector<std::uint32_t>& order);

}  // namespace tilescope
