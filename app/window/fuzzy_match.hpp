#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {

struct FuzzyMatch {
  /// Higher is better; comparable among texts for one query.
  int score = 0;
  /// Positions of the matched characters in the text, ascending.
  std::vector<std::size_t> positions;
};

/// Finds the letters of `query` in their order in `text`, not necessarily side by side; case and spaces do not matter.
/// Runs of letters and the beginnings of words score higher: "rzo" finds "Reset zoom". nullopt where a letter is
/// missing; an empty query matches with score 0.
std::optional<FuzzyMatch> fuzzy_match(std::string_view query, std::string_view text);

}  // namespace tilescope
