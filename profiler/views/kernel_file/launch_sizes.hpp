#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilescope {

/// "4096"; also the 256 of "[256, 1, 1]". None for other texts.
std::optional<std::int64_t> whole_number(const std::string& text);

/// Values for a size of a launch, ascending, its own among them: a quarter to four times a whole number from 1, or halves and
/// doubles of a block in two dimensions ("8x16"), up to 1,024 threads. Empty for other values: a scale, a zero, a buffer's
/// part ("x: elements"), shared memory, a grid in two dimensions.
/// `what`, `value`: as LaunchGuess.
std::vector<std::string> proposed_sizes(const std::string& what, const std::string& value);

/// Names that a reason gives the values of: "rows" and "cols" of "rows * cols with rows = 96 (line 42), cols = 300 (line 42)".
std::set<std::string> names_with_values(const std::string& reason);

/// Whether a name is a macro's by the usual spelling, "BLOCK_SIZE": the kernel is compiled with its value.
bool is_spelled_as_macro(const std::string& name);

/// How proposed_sizes() writes a value: "256" for "[256, 1, 1]", "16x8" for "[16, 8, 1]"; other texts as they are.
std::string short_size(const std::string& value);

}  // namespace tilescope
