#pragma once

#include <filesystem>
#include <optional>

#include "profiler/installation.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The source that a point was compiled from, for its session: from the compiler's store, or else from `kernel_file`
/// where that still is what was compiled. Nothing where neither has it: the point stands without its text.
std::optional<SourceFile> find_point_source(const Measurement& point, const Installation& installation,
                                            const std::filesystem::path& kernel_file);

}  // namespace tilescope
