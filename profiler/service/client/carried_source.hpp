#pragma once

#include <optional>
#include <string>

#include "profiler/installation.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The source of a kernel of this machine, given by its name in the catalogue or the path of its file, to go with an
/// experiment to a worker elsewhere. A file whose declaration is broken goes too: the worker says what is wrong with
/// it. Nothing where there is no such file.
std::optional<SourceFile> find_kernel_source(const Installation& installation,
                                             const std::string& name_or_path);

}  // namespace tilescope
