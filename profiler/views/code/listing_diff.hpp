#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/line_diff.hpp"
#include "profiler/service/requests/listing.hpp"

namespace tilescope {

struct ListingDiff {
  /// See line_diff; `left` and `right` are places in MachineCode::lines.
  std::vector<DiffRow> rows;
  /// Instructions, without labels.
  std::size_t same = 0, renamed = 0, removed = 0, added = 0;
  /// The first rows of the stretches that differ by more than names.
  std::vector<std::uint32_t> hunks;
};

/// A line's text without the numbers of registers, predicates and labels: "@!P LDS.128 R, [R+0x10]".
std::string normalised(const std::string& text);

/// Compares two codes line by line, A on the left and B on the right. Addresses do not count.
ListingDiff listing_diff(const std::vector<SassLine>& left, const std::vector<SassLine>& right);
/// "600 instructions equal, ~ 208 with other registers, - 84 only in A, + 556 only in B"
std::string diff_summary(const ListingDiff& diff);
/// Digits of the largest address of both codes.
std::size_t address_digits(const std::vector<SassLine>& left, const std::vector<SassLine>& right);
/// The addresses of a row in A and in B, each in a column of `digits` digits, which is blank where the row is
/// in the other code alone, and at labels: "0020      ", "00b0 00c0".
std::string diff_addresses(const DiffRow& row, const std::vector<SassLine>& left,
                           const std::vector<SassLine>& right, std::size_t digits);
/// A line for each row: what it is, the addresses on both sides, and its text.
std::string diff_csv(const ListingDiff& diff, const std::vector<SassLine>& left,
                     const std::vector<SassLine>& right);

}  // namespace tilescope
