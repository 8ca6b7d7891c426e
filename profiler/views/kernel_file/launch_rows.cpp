#include "profiler/views/kernel_file/launch_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "profiler/service/requests/earlier_kernels.hpp"
#include "profiler/service/requests/source_tile.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"
#include "profiler/views/kernel_file/launch_sizes.hpp"

namespace tilescope {
namespace {

/// The guess of the kernel's name.
constexpr const char* kernel_guess = "kernel";

bool is_named(const std::vector<LaunchRow>& rows, const std::string& what) {
  return std::ranges::find(rows, what, &LaunchRow::what) != rows.end();
}

LaunchRow row_of(const OpenedConstant& constant, bool is_cache) {
  LaunchRow row{
      constant.name, std::to_string(constant.value),
      is_cache
          ? fmt::format("the entry was compiled with {}; another value takes the newest entry that has it",
                        constant.value)
          : fmt::format("{} in line {} of the source", constant.value, constant.line)};
  if (constant.name == cache_entry_choice)
    row.reason = fmt::format("entry {} of the cache, from the oldest", constant.value);
  for (const std::int64_t proposal : constant.proposals) row.proposals.push_back(std::to_string(proposal));
  row.kind = is_cache ? LaunchRow::Kind::entry : LaunchRow::Kind::constant;
  return row;
}

// A formula that the values equal is offered, and is not in force before the user chooses it.
LaunchRow row_of_output(const std::string& output, const OpenedPoint& point) {
  LaunchRow row{output + ": expected", "",
                "with a formula, such as 2 * x or softmax(x[M][N]), its values are compared"};
  row.kind = LaunchRow::Kind::formula;
  const auto equal = std::ranges::find(point.guesses, row.what, &LaunchGuess::what);
  if (equal == point.guesses.end()) return row;
  row.proposals.push_back(equal->value);
  row.reason = fmt::format("the values equal {}: if they should, choose it", equal->value);
  return row;
}

bool is_of_output(const LaunchGuess& guess, const OpenedPoint& point) {
  return std::ranges::any_of(point.outputs,
                             [&](const std::string& output) { return guess.what == output + ": expected"; });
}

void add_formula_rows(const OpenedPoint& point, const ChosenValues& chosen, std::vector<LaunchRow>& rows) {
  for (const std::string& output : point.outputs) {
    LaunchRow row = row_of_output(output, point);
    const auto value = chosen.find(row.what);
    row.is_chosen = value != chosen.end();
    if (row.is_chosen) row.value = value->second;
    if (!is_named(rows, row.what)) rows.push_back(std::move(row));
  }
}

std::vector<std::string> other_kernels(const OpenedPoint& point) {
  std::vector<std::string> names;
  for (const OpenedKernel& kernel : point.kernels)
    if (kernel.name != point.entry) names.push_back(kernel.demangled);
  return names;
}

void add_reference_row(const OpenedPoint& point, const ChosenValues& chosen, std::vector<LaunchRow>& rows) {
  if (point.kernels.size() < 2 || point.outputs.empty()) return;
  LaunchRow row{reference_kernel_choice, "", "it is run on the same buffers, and the outputs are compared"};
  row.kind = LaunchRow::Kind::reference;
  row.proposals = other_kernels(point);
  const auto offered = std::ranges::find(point.guesses, row.what, &LaunchGuess::what);
  if (offered != point.guesses.end()) {
    row.suggestion = offered->value;
    row.reason = fmt::format("{} takes the same arguments: if both should leave the same, choose it",
                             short_kernel_name(offered->value));
  }
  const auto value = chosen.find(row.what);
  row.is_chosen = value != chosen.end();
  if (row.is_chosen) row.value = value->second;
  rows.push_back(std::move(row));
}

// The chosen ones, those that are offered, and one more.
void add_earlier_rows(const OpenedPoint& point, const ChosenValues& chosen, std::vector<LaunchRow>& rows) {
  if (point.kernels.size() < 2 || point.launch.empty()) return;
  for (std::size_t i = 0;; ++i) {
    LaunchRow row{earlier_kernel_choice(i), "", "", false, other_kernels(point),
                  LaunchRow::Kind::earlier, ""};
    const auto value = chosen.find(row.what);
    const auto offered = std::ranges::find(point.guesses, row.what, &LaunchGuess::what);
    row.is_chosen = value != chosen.end();
    if (row.is_chosen) {
      row.value = value->second;
    } else if (offered != point.guesses.end()) {
      row.suggestion = offered->value;
      row.reason = fmt::format("{}: {}", short_kernel_name(offered->value), offered->reason);
    }
    const bool is_last = !row.is_chosen && row.suggestion.empty();
    const bool follows_offer =
        !rows.empty() && !rows.back().suggestion.empty() && rows.back().kind == LaunchRow::Kind::earlier;
    if (!is_last || !follows_offer) rows.push_back(std::move(row));
    if (is_last) return;
  }
}

// Offers to launch another kernel, or to compare with it, are not in force.
bool is_on_other_kernel(const LaunchGuess& guess) {
  return guess.what == kernel_guess || guess.what == reference_kernel_choice ||
         earlier_kernel_of(guess.what).has_value();
}

// A size that follows from another row, or that the kernel is compiled with, is changed there.
void keep_proposals_of_free_sizes(std::vector<LaunchRow>& rows) {
  for (LaunchRow& row : rows) {
    if (row.kind != LaunchRow::Kind::guess || row.is_chosen) continue;
    const std::set<std::string> names = names_with_values(row.reason);
    const bool follows = std::ranges::any_of(names, [&](const std::string& name) {
      const bool is_launch = row.what == "block" || row.what == "grid";
      return name != row.what && (is_named(rows, name) || (is_launch && is_spelled_as_macro(name)));
    });
    if (follows) row.proposals.clear();
  }
}

/// Behind the rows that stood before it.
void insert(std::vector<LaunchRow>& rows, LaunchRow row, const std::vector<LaunchRow>& before) {
  auto at = rows.begin();
  for (const LaunchRow& other : before) {
    if (other.what == row.what) break;
    const auto found = std::ranges::find(rows, other.what, &LaunchRow::what);
    if (found != rows.end() && found >= at) at = found + 1;
  }
  rows.insert(at, std::move(row));
}

}  // namespace

std::vector<LaunchRow> launch_rows(const std::vector<LaunchRow>& before, const OpenedPoint& point,
                                   const ChosenValues& chosen) {
  std::vector<LaunchRow> rows;
  for (const LaunchGuess& guess : point.guesses) {
    if (!is_on_other_kernel(guess) && !chosen.contains(guess.what) && !is_of_output(guess, point))
      rows.push_back({guess.what, guess.value, guess.reason, false, proposed_sizes(guess.what, guess.value)});
  }
  add_formula_rows(point, chosen, rows);
  add_reference_row(point, chosen, rows);
  for (const OpenedConstant& constant : point.constants) {
    LaunchRow row = row_of(constant, point.constants.front().name == cache_entry_choice);
    const auto value = chosen.find(row.what);
    row.is_chosen = value != chosen.end();
    if (row.is_chosen) row.value = value->second;
    if (!is_named(rows, row.what)) rows.push_back(std::move(row));
  }
  add_earlier_rows(point, chosen, rows);
  for (const LaunchRow& row : before) {
    const auto value = chosen.find(row.what);
    if (is_named(rows, row.what) || (value == chosen.end() && !point.launch.empty())) continue;
    LaunchRow kept = row;
    if (value != chosen.end()) kept.value = value->second;
    kept.is_chosen = value != chosen.end();
    if (kept.is_chosen && !row.is_chosen && row.kind == LaunchRow::Kind::guess) kept.guess = row.value;
    insert(rows, std::move(kept), before);
  }
  for (const auto& [what, value] : chosen) {
    if (is_named(rows, what)) continue;
    rows.push_back({what, value, "", true, proposed_sizes(what, value)});
    if (array_of_choice(what).empty()) continue;
    rows.back().kind = LaunchRow::Kind::constant;
    rows.back().proposals = {"0", "1", "2", "4", "8", "16"};
  }
  keep_proposals_of_free_sizes(rows);
  return rows;
}

}  // namespace tilescope
