#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// The subject of a request about a kernel's file, or a sentence on why the file cannot be read. As `tilescope open`
/// takes it: a declared launch goes before guesses, but not before values that the user gave.
std::variant<FileSubject, std::string> read_opened_subject(const std::filesystem::path& file,
                                                           bool has_choices);

}  // namespace tilescope
