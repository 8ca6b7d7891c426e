#pragma once

#include <map>
#include <string>

#include "sessions/reports/report_document.hpp"
#include "sessions/source_file.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// On what points were made: device, driver, compiler, clocks, host, versions, the sources with their hashes, each value
/// with the number of its points where there are several.
ReportSection environment_section(const PointList& points, const std::map<std::string, SourceFile>& sources);

}  // namespace tilescope
