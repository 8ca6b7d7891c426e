#include <algorithm>
#include <utility>

#include "profiler/views/step/fragments.hpp"

namespace tilescope {

namespace {

// The register that holds the elements, for one that repeats it.
std::size_t original(const FragmentView& view, std::size_t reg) {
  return view.registers[reg].repeats.value_or(reg);
}

template <class Wanted>
std::vector<FragmentElement> elements_where(const FragmentView& view, Wanted wanted) {
  std::vector<FragmentElement> elements;
  for (std::size_t m = 0; m < view.matrices.size(); ++m) {
    const FragmentMatrix& matrix = view.matrices[m];
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        if (wanted(matrix.at(row, column))) elements.push_back({m, row, column});
      }
    }
  }
  return elements;
}

bool is_sum(FragmentRole role) {
  return role == FragmentRole::c || role == FragmentRole::d;
}

bool is_factor_of(const FragmentView& view, const FragmentElement& element, const FragmentElement& sum) {
  if (!view.is_product() || !is_sum(view.matrices[sum.matrix].role)) return false;
  switch (view.matrices[element.matrix].role) {
    case FragmentRole::a:
      return element.row == sum.row;
    case FragmentRole::b:
      return element.column == sum.column;
    case FragmentRole::c:
    case FragmentRole::d:
      return element.row == sum.row && element.column == sum.column;
    case FragmentRole::tile:
      break;
  }
  return false;
}

FragmentArrangement arranged(const FragmentView& view, std::vector<FragmentArrangement::Slot> slots) {
  FragmentArrangement arrangement;
  arrangement.slots = std::move(slots);
  for (std::size_t m = 0; m < view.matrices.size(); ++m) {
    const auto [column, row] = arrangement.slots[m];
    arrangement.widths.resize(std::max(arrangement.widths.size(), column + 1));
    arrangement.heights.resize(std::max(arrangement.heights.size(), row + 1));
    arrangement.widths[column] = std::max(arrangement.widths[column], view.matrices[m].columns);
    arrangement.heights[row] = std::max(arrangement.heights[row], view.matrices[m].rows);
  }
  return arrangement;
}

int sum_of(const std::vector<int>& lengths) {
  int sum = 0;
  for (const int length : lengths) sum += length;
  return sum;
}

}  // namespace

std::optional<FragmentElement> element_at(const FragmentView& view, const FragmentPlace& place) {
  if (place.reg >= view.registers.size()) return std::nullopt;
  const auto reg = static_cast<std::uint16_t>(original(view, place.reg));
  const FragmentPlace wanted{place.lane, place.part, reg};
  const std::size_t m = view.registers[reg].matrix;
  const FragmentMatrix& matrix = view.matrices[m];
  const auto found = std::ranges::find(matrix.places, wanted);
  if (found == matrix.places.end()) return std::nullopt;
  const auto index = static_cast<int>(found - matrix.places.begin());
  return FragmentElement{m, index / matrix.columns, index % matrix.columns};
}

std::vector<FragmentElement> elements_of_lane(const FragmentView& view, int lane) {
  return elements_where(view, [&](const FragmentPlace& place) { return place.lane == lane; });
}

std::vector<FragmentElement> elements_of_register(const FragmentView& view, std::size_t reg) {
  return elements_where(
      view, [&, held = original(view, reg)](const FragmentPlace& place) { return place.reg == held; });
}

FragmentLink link_of(const FragmentView& view, const FragmentMark& mark, const FragmentElement& element) {
  const FragmentPlace& place = place_of(view, element);
  if (mark.lane) return place.lane == *mark.lane ? FragmentLink::same_holder : FragmentLink::none;
  if (mark.reg)
    return place.reg == original(view, *mark.reg) ? FragmentLink::same_holder : FragmentLink::none;
  if (!mark.element) return FragmentLink::none;
  if (*mark.element == element) return FragmentLink::itself;
  if (place.lane == lane_of(view, *mark.element)) return FragmentLink::same_holder;
  return is_factor_of(view, element, *mark.element) ? FragmentLink::factor : FragmentLink::none;
}

bool marks_lane(const FragmentView& view, const FragmentMark& mark, int lane) {
  return mark.lane == lane || (mark.element && lane_of(view, *mark.element) == lane);
}

bool marks_register(const FragmentView& view, const FragmentMark& mark, std::size_t reg) {
  if (mark.element) return place_of(view, *mark.element).reg == original(view, reg);
  return mark.reg && original(view, *mark.reg) == original(view, reg);
}

int FragmentArrangement::cells_wide() const {
  return sum_of(widths);
}

int FragmentArrangement::cells_high() const {
  return sum_of(heights);
}

std::vector<FragmentArrangement> fragment_arrangements(const FragmentView& view) {
  std::vector<FragmentArrangement> arrangements;
  if (view.matrices.empty()) return arrangements;
  if (view.is_product()) {
    // D, A, B, C: in a line, or B above D and A left of it with C beside D or in the corner that A and B leave.
    arrangements.push_back(arranged(view, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
    arrangements.push_back(arranged(view, {{1, 1}, {0, 1}, {1, 0}, {2, 1}}));
    arrangements.push_back(arranged(view, {{1, 1}, {0, 1}, {1, 0}, {0, 0}}));
    arrangements[1].is_aligned = arrangements[2].is_aligned = true;
    return arrangements;
  }
  const std::size_t count = view.matrices.size();
  for (std::size_t columns = count; columns > 0; columns /= 2) {
    std::vector<FragmentArrangement::Slot> slots;
    slots.reserve(count);
    for (std::size_t m = 0; m < count; ++m) slots.push_back({m % columns, m / columns});
    arrangements.push_back(arranged(view, std::move(slots)));
  }
  return arrangements;
}

}  // namespace tilescope
