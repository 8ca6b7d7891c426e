#pragma once

#include <cstdint>
#include <vector>

#include "sessions/reports/report_document.hpp"
#include "sessions/views/points/point_columns.hpp"

namespace tilescope {

/// The rows of `order` as a table of a report. Columns that say nothing of these rows are left out; where the rows are
/// of several kernels, their configurations stand in one column.
ReportTable point_table(const std::vector<PointRow>& rows, const std::vector<std::uint32_t>& order);

/// "BLOCK_N=64 NUM_WARPS=8": the parameters that all of the rows share, "" where they are of several kernels.
std::string shared_parameters(const std::vector<PointRow>& rows, const std::vector<std::uint32_t>& order);

}  // namespace tilescope
