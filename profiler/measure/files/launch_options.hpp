#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/file_subject.hpp"

/// "options" of a launch: how the CUDA C++ of its kernel is compiled.
///   "options": ["-DTILE=32", "-Iinclude", "--use_fast_math"]
/// A launch may be from a stranger: options that start another program, or write elsewhere, are given on the command line
/// alone.
namespace tilescope {

/// Whether a launch may give the option: -I, -D, -U, --use_fast_math, -maxrregcount, --fmad, -std, --extended-lambda and
/// the like.
bool may_be_in_launch(const std::string& option);

/// The options of a launch document, with folders from `folder` on; empty where it has none or is not a document. Throws
/// LaunchFileError for an option that it may not give.
std::vector<std::string> launch_options(const std::string& document, const std::filesystem::path& folder);

/// The launch's options before those that are given, which replace its own definitions of the same macros.
std::vector<std::string> with_launch_options(const std::optional<SentFile>& launch,
                                             std::vector<std::string> given);

}  // namespace tilescope
