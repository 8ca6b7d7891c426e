#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The longest name that is taken as one of a file, as Linux has it; of longer ones the first letters are given.
inline constexpr std::size_t max_include_name = 4096;

/// The names that a source may include, each once, in the order in which they appear.
struct IncludeNames {
  /// Between quotation marks, and absolute ones between angle brackets: what is not a header of a toolkit.
  std::vector<std::string> own;
  /// Between angle brackets, not absolute.
  std::vector<std::string> of_toolkits;
  /// Texts of macros and arguments of macros, where an #include names a macro.
  std::vector<std::string> by_macro;
};

/// Finds every #include that a compiler might see, also one inside #if 0, behind a comment, over several lines or inside
/// a comment of several lines: what is found too much does no harm. Takes time in proportion to the text.
IncludeNames find_include_names(std::string_view text);

}  // namespace tilescope
