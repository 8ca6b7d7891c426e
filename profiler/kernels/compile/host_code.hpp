#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Lines of a file, such as a function of the host takes. Both are counted from 1 and belong to it.
struct LineRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The text with these lines empty; all others keep their numbers. Directives stay, with the lines of their macros: code
/// beyond the lines depends on them. Spaces behind a backslash at a line's end go: NVRTC does not join such lines.
std::string without_lines(std::string_view text, const std::vector<LineRange>& ranges);

/// The text with a line behind it for each of these template kernels, in which it is instantiated: "scale<float>", as in
/// its launch. A kernel that no code names with its arguments is not in the compiler's output.
std::string with_instantiations(std::string text, const std::vector<std::string>& kernels);

}  // namespace tilescope
