#include "app/panels/compare/side_rows.hpp"

#include <algorithm>
#include <utility>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/panels/tune/parameter_views.hpp"

namespace tilescope {
namespace {

SideRow& row_of(std::vector<SideRow>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const SideRow& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  rows.push_back({name, {}, {}, false});
  return rows.back();
}

void add_live(const Explorer& explorer, Side side, std::vector<SideRow>& rows) {
  const KernelDeclaration* kernel = explorer.board().get<ComparisonPair>().kernel(side);
  if (kernel == nullptr) return;
  for (SliderView& slider :
       parameter_views(explorer, *kernel, explorer.board().get<ComparisonPair>().experiment(side))) {
    SideRow& row = row_of(rows, slider.name);
    if (slider.current < slider.values.size())
      row.values[index_of(side)] = slider.values[slider.current].value;
    row.sliders[index_of(side)] = std::move(slider);
  }
}

/// Adds a point's parameters in the order of its kernel's declaration where there is one, whatever else it has behind
/// them.
void add_recorded(const Explorer& explorer, Side side, std::vector<SideRow>& rows) {
  const Configuration parameters = explorer.board().get<ComparisonPair>().experiment(side).parameters;
  if (const KernelDeclaration* kernel = explorer.board().get<ComparisonPair>().kernel(side)) {
    for (const ParameterDeclaration& declared : kernel->parameters) {
      if (parameters.contains(declared.name)) row_of(rows, declared.name);
    }
  }
  for (const auto& [name, value] : parameters) row_of(rows, name).values[index_of(side)] = to_string(value);
}

// A value that the user chose in one file's launch is an argument of the other one's.
void add_arguments(const Explorer& explorer, Side side, std::vector<SideRow>& rows) {
  const SharedMeasurement point = explorer.board().get<ComparisonPair>().point(side);
  if (!point || !point->arguments) return;
  for (SideRow& row : rows) {
    std::string& value = row.values[index_of(side)];
    const auto argument = point->arguments->find(row.name);
    if (value.empty() && argument != point->arguments->end()) value = to_string(argument->second);
  }
}

}  // namespace

std::vector<SideRow> side_rows(const Explorer& explorer) {
  std::vector<SideRow> rows;
  for (const Side side : both_sides) {
    if (explorer.board().get<ComparisonPair>().is_live(side)) {
      add_live(explorer, side, rows);
    } else {
      add_recorded(explorer, side, rows);
    }
  }
  for (const Side side : both_sides) add_arguments(explorer, side, rows);
  const bool has_both = std::none_of(both_sides.begin(), both_sides.end(), [&](Side side) {
    return explorer.board().get<ComparisonPair>().choice(side).kind == SideChoice::Kind::none;
  });
  for (SideRow& row : rows) row.differs = has_both && row.values[0] != row.values[1];
  return rows;
}

}  // namespace tilescope
