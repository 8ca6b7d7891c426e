#pragma once

#include <optional>
#include <string>

#include "app/commands/command.hpp"
#include "profiler/service/requests/run_file.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The terminal's text of a launched kernel of a file: status, launch, resources, prediction, printed text,
/// `after_printed`, findings, advice, `after_advice`, predicted time and memory accesses by line. `device`: the name of the one that was
/// predicted; `source`: the text of the lines, where it is known.
std::string launched_text(const LaunchedPoint& point, const std::string& device,
                          const std::string& after_printed, const std::optional<SourceFile>& source,
                          const std::string& after_advice = "");

/// The exit code of a launch: a fault that was found fails it, too.
ExitCode exit_code_of_launch(const LaunchedPoint& point);

/// A line for each line that a thread printed: "block (0, 0, 0), thread 3, says.cu:4: text".
std::string printed_text(const LaunchedPoint& point);

}  // namespace tilescope
