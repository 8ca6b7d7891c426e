#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sessions/session.hpp"

namespace tilescope {

/// A traced point for the user: the findings, then each access site with what it cost and the line of the source, the
/// totals and the instruction mix. `source` is the kernel's file as it was compiled; without it the lines have no text.
/// `checked` says whether the kernel was searched for faults: then the text says so where there are none.
std::string trace_text(const Measurement& point, const std::optional<SourceFile>& source, bool checked);

/// A line that says how to look at the lanes of the line with the most excess; "" where there is none. `session` has the
/// point; empty where it goes nowhere.
std::string lanes_hint(const Measurement& point, const std::optional<SourceFile>& source,
                       const std::filesystem::path& session);

}  // namespace tilescope
