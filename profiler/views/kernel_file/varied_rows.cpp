#include "profiler/views/kernel_file/varied_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "profiler/views/kernel_file/launch_sizes.hpp"

namespace tilescope {
namespace {

void add_in_order(std::vector<std::string>& values, const std::string& value) {
  if (std::ranges::find(values, value) != values.end()) return;
  const auto number = whole_number(value);
  const auto larger = std::ranges::find_if(values, [&](const std::string& other) {
    const auto theirs = whole_number(other);
    return number && theirs && *theirs > *number;
  });
  values.insert(larger, value);
}

bool follows_another(const LaunchRow& row, const std::vector<LaunchRow>& rows) {
  const std::set<std::string> names = names_with_values(row.reason);
  return std::ranges::any_of(
      rows, [&](const LaunchRow& other) { return other.what != row.what && names.contains(other.what); });
}

VariedRow varied_row(const LaunchRow& row, bool follows_another) {
  VariedRow varied{row.what, short_size(row.value), row.proposals, follows_another};
  add_in_order(varied.values, varied.current);
  return varied;
}

}  // namespace

std::vector<VariedRow> varied_rows(const std::vector<LaunchRow>& rows) {
  std::vector<VariedRow> constants, numbers;
  for (const LaunchRow& row : rows) {
    if (is_compiled_in(row.kind)) constants.push_back(varied_row(row, false));
    if (row.kind == LaunchRow::Kind::guess && !row.proposals.empty())
      numbers.push_back(varied_row(row, follows_another(row, rows)));
  }
  std::ranges::move(numbers, std::back_inserter(constants));
  return constants;
}

const VariedRow* first_to_vary(const std::vector<VariedRow>& rows) {
  if (rows.empty()) return nullptr;
  const auto free = std::ranges::find(rows, false, &VariedRow::follows_another);
  return free == rows.end() ? rows.data() : &*free;
}

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t begin = part.find_first_not_of(" \t"), end = part.find_last_not_of(" \t");
    if (begin == std::string::npos) continue;
    std::string value = part.substr(begin, end - begin + 1);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace tilescope
