#pragma once

#include <filesystem>
#include <optional>

#include "profiler/explanation/model/executed_kernel.hpp"

/// Launches on disk, so that a second run of a benchmark need not execute them again.
namespace tilescope::model {

void write_launch(const std::filesystem::path& file, const ExecutedLaunch& launch);
/// Nothing where the file is missing. Throws nlohmann's exceptions for one that is something else.
std::optional<ExecutedLaunch> read_launch(const std::filesystem::path& file);

}  // namespace tilescope::model
