#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// The subject of a request about a kernel's file.
struct OpenedSubject {
  FileSubject subject;
  /// The declared launch that is left aside, whose options of the compiler still count.
  std::optional<SentFile> left_aside{};
};

/// A sentence where the file cannot be read. As `tilescope open` takes it: a declared launch goes before guesses, but not
/// before values that the user gave.
std::variant<OpenedSubject, std::string> read_opened_subject(const std::filesystem::path& file,
                                                             bool has_choices);

}  // namespace tilescope
