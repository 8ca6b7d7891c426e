#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// The candidates that a mistyped `name` may stand for, at most three: those that contain it or that it contains,
/// otherwise those with the fewest wrong letters, about one in three at most. Ignores case.
std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& candidates);

/// Adds to the sentence that `name` is unknown what it may mean: "...; did you mean 'a' or 'b'?". Where nothing is
/// near, a short list of candidates is given in full: "...; choose 'a', 'b' or 'c'". A long list adds nothing.
std::string suggest_names(const std::string& sentence, const std::string& name,
                          const std::vector<std::string>& candidates);

}  // namespace tilescope
