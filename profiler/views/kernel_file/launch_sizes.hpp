#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// "4096"; also the 256 of "[256, 1, 1]". None for other texts.
std::optional<std::int64_t> whole_number(const std::string& text);

/// Values for a size of a launch, ascending, its own among them: a quarter to four times a whole number from 1, or halves and
/// doubles of a block in two dimensions ("8x16"), up to 1,024 threads. Empty for other values: a scale, a zero, a buffer's
/// part ("x: elements"), a grid in two dimensions.
/// `what`, `value`: as LaunchGuess.
std::vector<std::string> proposed_sizes(const std::string& what, const std::string& value);

/// How proposed_sizes() writes a value: "256" for "[256, 1, 1]", "16x8" for "[16, 8, 1]"; other texts as they are.
std::string short_size(const std::string& value);

}  // namespace tilescope
