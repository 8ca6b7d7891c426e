#include "app/panels/occupancy/occupancy_map.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/cell_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

using State = OccupancyMapCell::State;
/// Codes of the two parameters on the axes, see PointIndex::codes.
using CellCodes = std::pair<std::int16_t, std::int16_t>;

/// Resources that the compiler reported of the points of a slice, of any shape that is compiled alike: the
/// newest of each cell.
std::map<CellCodes, Resources> resources_of_points(const Explorer& explorer, const PointIndex& index,
                                                   Slice slice, CellCodes axes) {
  std::map<CellCodes, Resources> known;
  const std::string& device = explorer.selection().device().name;
  const Shape shape = slice.shape;
  for (const Shape& other : index.shapes()) {
    if (!compiles_alike(other, shape)) continue;
    slice.shape = other;
    for (const std::size_t entry : select(index, slice)) {
      const Measurement& point = *index.entries()[entry].point;
      if (!point.resources || point.device.name != device) continue;
      // A recorded point of an older source stands as it is in plots, but not for what the source needs now.
      if (is_of_older_source(point, explorer.kernels().sources())) continue;
      const auto codes = index.codes(entry);
      known[{codes[static_cast<std::size_t>(axes.first)], codes[static_cast<std::size_t>(axes.second)]}] =
          *point.resources;
    }
  }
  return known;
}

std::optional<Resources> prefetched_resources(const Explorer& explorer, const Configuration& configuration) {
  Experiment experiment = explorer.selection().experiment();
  experiment.parameters = configuration;
  const SharedMeasurement point =
      explorer.jobs().find_known(explorer.selection().complete(std::move(experiment)));
  return point == nullptr ? std::nullopt : point->resources;
}

void dashed_frame(ImDrawList& draw, ImVec2 min, ImVec2 max, ImU32 color) {
  const float weight = std::max(1.0F, ui_scale());
  dashed_line(draw, min, {max.x, min.y}, color, weight);
  dashed_line(draw, {max.x, min.y}, max, color, weight);
  dashed_line(draw, {min.x, max.y}, max, color, weight);
  dashed_line(draw, min, {min.x, max.y}, color, weight);
}

/// As many of the cell's lines as there is room for, beside or below the mark of the limiter.
void draw_cell_text(ImDrawList& draw, const OccupancyMapCell& cell, ImVec2 min, ImVec2 max, bool has_ring) {
  const float line = ImGui::GetTextLineHeight();
  // In a low cell the text may come near the ring: the number of the current configuration is worth it.
  if (has_ring && max.y - min.y >= line + 1.4F * em()) {
    min.y += 0.7F * em();
    max.y -= 0.7F * em();
  }
  const auto fitting = static_cast<std::size_t>(std::max(0.0F, (max.y - min.y) / line));
  const std::size_t count = std::min(cell.lines.size(), fitting);
  const float height = static_cast<float>(count) * line;
  const bool mark_above = max.y - min.y >= height + 3 * em();
  if (!mark_above) min.x += 1.3F * em();
  // A text that touches the frame or the ring is worse to read than none.
  const float margin = (has_ring ? 1.0F : 0.35F) * em();
  min.x += margin;
  max.x -= margin;
  float top = (min.y + max.y - height) / 2;
  for (std::size_t i = 0; i < count; ++i, top += line) {
    const ImVec4& color = i == 0 ? palette().text : palette().muted;
    if (!draw_centred(draw, {min.x, top}, {max.x, top + line}, color, cell.lines[i])) return;
  }
}

void draw_map_cell(ImDrawList& draw, const OccupancyMapCell& cell, ImVec2 min, ImVec2 max, bool has_ring) {
  if (cell.state == State::invalid) {
    draw_invalid_cell(draw, min, max);
    draw.AddLine(min, max, to_u32(faint_color()), std::max(1.0F, ui_scale()));
    draw.AddLine({min.x, max.y}, {max.x, min.y}, to_u32(faint_color()), std::max(1.0F, ui_scale()));
    return;
  }
  MarkStyle style = style_of(cell.occupancy.limiter);
  style.filled = cell.state == State::exact;
  if (style.filled) {
    draw.AddRectFilled(min, max, to_u32(wash(style.color, 0.22F)), em() * 0.15F);
    draw.AddRect(min, max, to_u32(wash(style.color, 0.8F)), em() * 0.15F, std::max(1.0F, ui_scale()));
  } else {
    dashed_frame(draw, min, max, to_u32(wash(style.color, 0.8F)));
  }
  const float inset = (has_ring ? 1.3F : 0.95F) * em();
  const float middle = std::min(inset, (max.y - min.y) / 2);
  draw_mark(draw, style, {min.x + inset, min.y + middle}, em() * 0.25F);
  draw_cell_text(draw, cell, min, max, has_ring);
}

}  // namespace

void OccupancyMap::draw(Explorer& explorer) {
  const bool changed = points_.update(explorer);
  const KernelDeclaration& kernel = explorer.selection().kernel();
  if (kernel.is_launched_by_library()) {
    empty_state(kernel.name + " is launched by " + proper_name(kernel.library),
                "The library chooses its own kernels and their launch, so there is no occupancy to map.");
    return;
  }
  if (points_.parameters().size() < 2) {
    empty_state("Needs two parameters",
                "Choose a kernel that declares at least two parameters to map one against another.");
    return;
  }
  const ValueAxis x = axis_picker("Columns", "occupancy_map.x", x_, "", points_.parameters());
  same_line_if_fits(axis_picker_width("Rows"));
  const ValueAxis y = axis_picker("Rows", "occupancy_map.y", y_, x_, points_.parameters());
  derive(explorer, x, y, changed);
  text_wrapped(palette().muted, key_.device + ": " + map_sentence(view_));
  draw_legend_line();
  draw_cells(explorer);
}

void OccupancyMap::derive(const Explorer& explorer, const ValueAxis& x, const ValueAxis& y,
                          bool points_changed) {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  Key key{slice_under_sliders(explorer, {x_, y_}, false), kernel.name, explorer.selection().device().name,
          explorer.kernels().revision(), explorer.points().prefetched_revision()};
  if (!points_changed && key == key_) return;
  key_ = std::move(key);
  const PointIndex& index = points_.index();
  const CellCodes axes{static_cast<std::int16_t>(index.find_parameter(x_)),
                       static_cast<std::int16_t>(index.find_parameter(y_))};
  const auto of_points = resources_of_points(explorer, index, key_.slice, axes);
  const auto known = [&](const Configuration& configuration) -> std::optional<Resources> {
    const std::vector<std::int16_t> codes = index.encode(configuration);
    const auto found = of_points.find(
        {codes[static_cast<std::size_t>(axes.first)], codes[static_cast<std::size_t>(axes.second)]});
    if (found != of_points.end()) return found->second;
    return prefetched_resources(explorer, configuration);
  };
  view_ = occupancy_map({kernel, key_.slice.configuration, key_.slice.shape, explorer.selection().device()},
                        x, y, known);
}

void OccupancyMap::draw_legend_line() const {
  std::set<Limiter> limiters;
  for (const OccupancyMapCell& cell : view_.cells) {
    if (cell.state != State::invalid) limiters.insert(cell.occupancy.limiter);
  }
  std::vector<LegendEntry> legend;
  legend.reserve(limiters.size() + 2);
  for (const Limiter limiter : limiters)
    legend.push_back({style_of(limiter), "limited by " + resource_words(limiter)});
  if (view_.bounds > 0)
    legend.push_back({{ImPlotMarker_Square, palette().muted, false, false}, "bound (hollow)"});
  if (view_.invalid > 0) legend.push_back({{ImPlotMarker_Cross, palette().muted, true, false}, "invalid"});
  draw_legend(legend);
}

void OccupancyMap::draw_cells(Explorer& explorer) const {
  if (view_.cells.empty()) return;
  const MonoText mono;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const CellGrid at = lay_out_cells(view_.x, view_.y, origin, ImGui::GetContentRegionAvail(), em() * 0.3F);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at.corner);
  const bool pressed = ImGui::InvisibleButton("cells", at.size());
  landmark("plot.occupancy_map", at.corner, {at.corner.x + at.size().x, at.corner.y + at.size().y});
  std::optional<std::size_t> hovered;
  if (ImGui::IsItemHovered()) hovered = cell_under_mouse(at);
  for (std::size_t i = 0; i < view_.cells.size(); ++i)
    draw_map_cell(draw, view_.cells[i], at.min(i), at.max(i), view_.current == i);
  draw_cell_labels(draw, view_.x, view_.y, at, origin);
  if (hovered) frame_cell(draw, at, *hovered);
  if (view_.current) {
    ring_cell(draw, at, *view_.current);
    landmark("occupancy_map.current", at.min(*view_.current), at.max(*view_.current));
  }
  mark_cells("occupancy_map.cell", view_.x, view_.y, at);
  ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  if (!hovered) return;
  const OccupancyMapCell& cell = view_.cells[*hovered];
  cell_tooltip_of(cell);
  if (!pressed || cell.state == State::invalid) return;
  Experiment experiment = explorer.selection().experiment();
  experiment.parameters = cell.configuration;
  explorer.selection().set_experiment(std::move(experiment));
}

void OccupancyMap::cell_tooltip_of(const OccupancyMapCell& cell) const {
  if (!ImGui::BeginTooltip()) return;
  tooltip_body(to_string(cell.configuration), cell_tooltip(cell),
               cell.state == State::invalid ? ""
               : cell.state == State::bound ? "Click to set this configuration, which compiles it."
                                            : "Click to set this configuration.");
  ImGui::EndTooltip();
}

}  // namespace tilescope
