#include "app/commands/open_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/commands/launched_text.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "sessions/status.hpp"

namespace tilescope {
namespace {

std::string names_of(const std::vector<OpenedConstant>& constants) {
  std::string names;
  for (const OpenedConstant& constant : constants)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", constant.name);
  return names.empty() ? "the source has none" : "the source has " + names;
}

std::vector<std::string> values_of(const TypedValues::value_type& typed,
                                   const std::vector<OpenedConstant>& constants) {
  std::vector<std::string> values;
  values.reserve(typed.second.size());
  for (const ParameterValue& value : typed.second) values.push_back(to_string(value));
  if (!values.empty()) return values;
  const auto constant = std::ranges::find(constants, typed.first, &OpenedConstant::name);
  if (constant == constants.end())
    throw WrongUsage(
        fmt::format("--vary {}: give values, as in --vary {}=16,32; only a constant of the source has some "
                    "of its own: {}",
                    typed.first, typed.first, names_of(constants)));
  for (const std::int64_t value : constant->proposals) values.push_back(std::to_string(value));
  if (std::ranges::find(constant->proposals, constant->value) == constant->proposals.end())
    values.insert(values.begin(), std::to_string(constant->value));
  return values;
}

// The terminal shows a long result with its beginning.
std::string short_result(const std::string& result) {
  constexpr std::size_t most = 36;
  return result.size() <= most ? result : result.substr(0, most - 3) + "...";
}

}  // namespace

std::vector<ValueCombination> tried_combinations(const TypedValues& vary,
                                                 const std::vector<OpenedConstant>& constants,
                                                 const std::map<std::string, std::string>& chosen) {
  std::vector<VariedValues> varied;
  varied.reserve(vary.size());
  for (const auto& typed : vary) {
    if (chosen.contains(typed.first))
      throw WrongUsage(fmt::format("'{}' is both in --set and in --vary: choose one", typed.first));
    varied.push_back({typed.first, values_of(typed, constants)});
  }
  if (const std::size_t count = count_combinations(varied); count > max_combinations)
    throw WrongUsage(
        fmt::format("--vary: {} points, and {} is the most: give fewer values", count, max_combinations));
  return value_combinations(varied);
}

std::string tried_text(const std::vector<TriedPoint>& points, const std::string& device) {
  if (points.empty()) return "No point was executed.\n";
  TextTable table;
  for (const auto& [name, value] : points.front().values) table.add_column(name, TextTable::Align::right);
  const bool is_measured =
      std::ranges::any_of(points, [](const TriedPoint& tried) { return tried.point->latency.has_value(); });
  table.add_column(fmt::format("{} on {}", is_measured ? "measured" : "predicted", device),
                   TextTable::Align::left);
  table.add_column("result", TextTable::Align::left);
  for (const char* title : {"conflicts", "excess sectors", "registers", "shared", "occupancy"})
    table.add_column(title, TextTable::Align::right);
  std::string problems;
  for (const TriedPoint& tried : points) {
    const TriedRow row = tried_row(tried);
    std::vector<std::string> cells = row.values;
    cells.insert(cells.end(), {row.latency, shown_line(short_result(row.result)), row.conflicts,
                               row.excess_sectors, row.registers, row.shared, row.occupancy});
    table.add_row(std::move(cells));
    if (row.problem.empty()) continue;
    std::string values;
    for (const auto& [name, value] : tried.values) values += fmt::format("{}={} ", name, value);
    problems += prose(fmt::format("{}: {}", values.substr(0, values.size() - 1), row.problem), 2) + "\n";
  }
  const std::string fastest = fastest_words(points);
  return table.text(2) + problems + (fastest.empty() ? "" : prose(fastest + ".", 2) + "\n");
}

Json tried_document(const std::vector<TriedPoint>& points) {
  Json list = Json::array();
  for (const TriedPoint& tried : points) list.push_back(*tried.point);
  return {{"points", std::move(list)}};
}

ExitCode exit_code_of_tried(const std::vector<TriedPoint>& points) {
  const auto code_of = [](const TriedPoint& tried) { return exit_code_of_launch(*tried.point); };
  const auto is = [&](ExitCode code) { return std::ranges::find(points, code, code_of) != points.end(); };
  if (is(ExitCode::check_failed)) return ExitCode::check_failed;
  return is(ExitCode::done) ? ExitCode::done : ExitCode::cannot_run;
}

}  // namespace tilescope
