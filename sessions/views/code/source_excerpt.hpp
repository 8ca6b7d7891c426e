#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/source_file.hpp"

namespace tilescope {

/// Lines of a kernel's source around one that a figure or a finding is about.
struct SourceExcerpt {
  struct Line {
    /// From 1.
    std::int64_t number = 0;
    /// Without the indent that all lines of the excerpt share.
    std::string text;
    /// Whether this is the line that was asked for.
    bool is_named = false;
  };
  std::string file;
  /// Empty where the source does not have the line.
  std::vector<Line> lines;
};

/// The text of the kernel's own file ("" or its name) or of a header by its name without folders; nullptr for another.
const std::string* find_text(const SourceFile& source, const std::string& file);

/// A line with `context` lines before and after it.
SourceExcerpt excerpt_of(const SourceFile& source, const std::string& file, std::int64_t line,
                         std::int64_t context = 0);

}  // namespace tilescope
