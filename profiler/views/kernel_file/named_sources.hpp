#pragma once

#include <filesystem>

#include "profiler/service/requests/run_file.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The sources that a launched kernel's lines are of, read beside the opened file: line information may have the paths of
/// another machine. The kernel's own one is the file itself, or the one that a binary was compiled from. What lies
/// elsewhere has no text.
SourceFile named_sources(const LaunchedPoint& point, const std::filesystem::path& file);

}  // namespace tilescope
