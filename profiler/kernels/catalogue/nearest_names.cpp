#include "profiler/kernels/catalogue/nearest_names.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

constexpr std::size_t max_suggestions = 3;
constexpr std::size_t max_listed = 8;
// A shorter part is in too many names to say anything.
constexpr std::size_t min_part = 3;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// Insertions, deletions, replacements and swaps of neighbours: the optimal string alignment distance.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool is_part(const std::string& part, const std::string& whole) {
  return part.size() >= min_part && whole.find(part) != std::string::npos;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* separator = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += separator + ("'" + names[i] + "'");
  }
  return text;
}

}  // namespace

std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.empty()) return {};
  const std::string wanted = lower_case(name);
  const std::size_t max_distance = std::min((wanted.size() + 2) / 3, wanted.size() - 1);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::string known = lower_case(candidate);
    const bool has_part = is_part(wanted, known) || is_part(known, wanted);
    const std::size_t distance = has_part ? 0 : edit_distance(wanted, known);
    if (distance <= max_distance) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) {
    if (distance == near.front().first && names.size() < max_suggestions) names.push_back(candidate);
  }
  return names;
}

std::string suggest_names(const std::string& sentence, const std::string& name,
                          const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = nearest_names(name, candidates);
  if (!near.empty()) return sentence + "; did you mean " + listed(near) + "?";
  if (candidates.empty() || candidates.size() > max_listed) return sentence;
  return sentence + "; choose " + listed(candidates);
}

}  // namespace tilescope
