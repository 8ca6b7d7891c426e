#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// The numbers that are accepted, both ends included.
struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

/// A whole number as the user types it: decimal digits alone. A sign, leading zeros (octal to some programs), blanks,
/// "0x", "1e3", other text and more than 64 bits give none.
std::optional<std::uint64_t> whole_number_from(std::string_view text);

/// The number of a text in a range. Throws std::invalid_argument: "'-1' is not a whole number from 1 to 64, written in
/// decimal digits without a sign or leading zeros".
std::uint64_t whole_number_in(WholeRange range, std::string_view text);

/// "a whole number from 1 to 64, written in decimal digits without a sign or leading zeros"
std::string whole_number_words(WholeRange range);

/// A decimal number as the user types it: "0.5", "120", "1e3"; without a sign, leading zeros, "0x", "inf" or "nan".
std::optional<double> decimal_from(std::string_view text);

}  // namespace tilescope
