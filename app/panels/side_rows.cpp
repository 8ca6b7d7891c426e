#include "app/panels/side_rows.hpp"

#include <algorithm>

#include "app/panels/parameter_views.hpp"

namespace tilescope {
namespace {

SideRow& row_of(std::vector<SideRow>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const SideRow& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  rows.push_back({name, {}, {}});
  return rows.back();
}

void add_live(const Explorer& explorer, Side side, std::vector<SideRow>& rows) {
  const KernelDeclaration* kernel = explorer.comparison().kernel(side);
  if (kernel == nullptr) return;
  for (SliderView& slider : parameter_views(explorer, *kernel, explorer.comparison().experiment(side))) {
    SideRow& row = row_of(rows, slider.name);
    if (slider.current < slider.values.size())
      row.values[index_of(side)] = slider.values[slider.current].value;
    row.sliders[index_of(side)] = std::move(slider);
  }
}

}  // namespace

std::vector<SideRow> side_rows(const Explorer& explorer) {
  std::vector<SideRow> rows;
  for (const Side side : both_sides) {
    const ComparisonPair& pair = explorer.comparison();
    if (pair.is_live(side)) {
      add_live(explorer, side, rows);
    } else {
      for (const auto& [name, value] : pair.experiment(side).parameters)
        row_of(rows, name).values[index_of(side)] = to_string(value);
    }
  }
  std::stable_partition(rows.begin(), rows.end(), [](const SideRow& row) { return row.differs(); });
  return rows;
}

}  // namespace tilescope
