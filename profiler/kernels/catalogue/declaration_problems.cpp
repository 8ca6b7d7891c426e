#include "profiler/kernels/catalogue/declaration_problems.hpp"

#include <algorithm>

namespace tilescope {

void DeclarationProblems::add(const std::string& place, const std::string& what) {
  problems_.emplace_back(place, (place.empty() ? "" : place + ": ") + what);
}

void DeclarationProblems::add_missing(const std::string& place, const std::string& expected) {
  problems_.emplace_back(place, place + " is missing: it holds " + expected);
}

bool DeclarationProblems::has_any_at(const std::string& place) const {
  return std::any_of(problems_.begin(), problems_.end(), [&](const auto& problem) {
    return problem.first == place || problem.first.starts_with(place + "/");
  });
}

std::string DeclarationProblems::message(const std::filesystem::path& file) const {
  struct Line {
    int number;
    std::string text;
  };
  std::vector<Line> lines;
  lines.reserve(problems_.size());
  for (const auto& [place, text] : problems_) lines.push_back({located_.line_of(place), text});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.number < b.number; });
  if (lines.size() == 1) {
    const std::string number = lines[0].number > 0 ? ":" + std::to_string(lines[0].number) : "";
    return file.string() + number + ": " + lines[0].text;
  }
  std::string text = file.string() + ": " + std::to_string(lines.size()) + " problems in the declaration:";
  for (const Line& line : lines) {
    text += "\n  " + (line.number > 0 ? "line " + std::to_string(line.number) + ": " : "") + line.text;
  }
  return text;
}

}  // namespace tilescope
