#include "app/panels/model/roofline_ceilings.hpp"

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// Distance of a place from a segment, in pixels.
float distance(ImVec2 at, ImVec2 from, ImVec2 to) {
  const ImVec2 along{to.x - from.x, to.y - from.y};
  const float length = along.x * along.x + along.y * along.y;
  const float share =
      length > 0 ? std::clamp(((at.x - from.x) * along.x + (at.y - from.y) * along.y) / length, 0.0F, 1.0F)
                 : 0;
  return std::hypot(at.x - from.x - share * along.x, at.y - from.y - share * along.y);
}

}  // namespace

void RooflineCeilings::draw_lines() {
  for (std::size_t i = 0; i < view_.ceilings.known.size(); ++i) {
    if (is_drawn(view_.ceilings.known[i].id)) draw_line(i);
  }
}

/// The highest peak of arithmetic: where bandwidths end.
double RooflineCeilings::top() const {
  const Ceiling* tensor = view_.ceilings.find(CeilingId::tensor);
  const Ceiling* fma = view_.ceilings.find(CeilingId::fma);
  return tensor != nullptr ? tensor->peak.value : fma != nullptr ? fma->peak.value : limits_.Y.Max;
}

/// From the left edge up to the arithmetic peak, or from the bandwidth of the chosen level to the right edge.
std::pair<ImVec2, ImVec2> RooflineCeilings::ends(CeilingId id, double value) const {
  if (is_bandwidth(id)) {
    const double ridge = top() * 1000 / value;
    const double right = std::min(ridge, limits_.X.Max);
    return {ImPlot::PlotToPixels(limits_.X.Min, limits_.X.Min * value / 1000),
            ImPlot::PlotToPixels(right, right * value / 1000)};
  }
  const Ceiling* bandwidth = view_.ceilings.find(ceiling_of(view_.level));
  const double ridge = bandwidth == nullptr ? limits_.X.Min : value * 1000 / bandwidth->peak.value;
  return {ImPlot::PlotToPixels(std::max(ridge, limits_.X.Min), value),
          ImPlot::PlotToPixels(limits_.X.Max, value)};
}

void RooflineCeilings::draw_line(std::size_t index) {
  const Ceiling& ceiling = view_.ceilings.known[index];
  const auto [from, to] = ends(ceiling.id, ceiling.peak.value);
  const float thin = std::max(1.0F, ui_scale());
  draw_.AddLine(from, to, to_u32(palette().text), std::max(1.5F, em() * 0.12F));
  lines_.push_back({index, from, to});
  labels_.keep_clear(from, to);
  names_.push_back({ceiling.id, &ceiling.peak, from.x, to, true});
  // A bandwidth's measured figures are in its tooltip: a line beside it would have no room for a label.
  if (is_bandwidth(ceiling.id)) return;
  for (const CeilingFigure& figure : ceiling.others) {
    const auto [start, end] = ends(ceiling.id, figure.value);
    dashed_line(draw_, start, end, to_u32(palette().muted), thin);
    labels_.keep_clear(start, end);
    names_.push_back({ceiling.id, &figure, start.x, end, false});
  }
}

/// The peaks first, so that they have their place, and others theirs around them.
void RooflineCeilings::draw_labels() {
  std::stable_sort(names_.begin(), names_.end(),
                   [](const Name& a, const Name& b) { return a.chosen && !b.chosen; });
  for (const Name& name : names_) draw_label(name);
}

/// A peak is named at the right of its line, a bandwidth above its upper end, in fewer words where there is no room
/// for all; what was measured and finds no place is in the tooltip of the line.
void RooflineCeilings::draw_label(const Name& name) {
  const CeilingFigure& figure = *name.figure;
  const ImVec2 corner = ImPlot::GetPlotPos();
  if (name.to.x <= corner.x || name.to.y <= corner.y) return;
  if (add_label(name, figure_label(name.id, figure), true)) return;
  const std::string words = figure_words(name.id, figure);
  if (!figure.remark.empty() && add_label(name, figure.remark + " " + words, true)) return;
  if (!name.chosen) {
    add_label(name, words, true);
    return;
  }
  // The axis says how high it is.
  const std::string short_name = capitalised(to_words(name.id));
  if (!add_label(name, short_name, true)) add_label(name, short_name, false);
}

/// Places for the upper left corner of a label, the best first.
std::vector<ImVec2> RooflineCeilings::places_of(const Name& name, ImVec2 size) const {
  const ImVec2 to = name.to;
  const ImVec2 corner = ImPlot::GetPlotPos();
  const float left = corner.x + em() * 0.3F;
  const float right = corner.x + ImPlot::GetPlotSize().x - size.x - em() * 0.5F;
  const float above = to.y - size.y - em() * 0.15F, below = to.y + em() * 0.15F;
  std::vector<ImVec2> places;
  if (is_bandwidth(name.id)) {
    const float x = std::max(left, std::min(right, to.x - size.x / 2));
    for (int row = 0; row < 3; ++row) {
      const ImVec2 place{x, above - static_cast<float>(row) * size.y};
      if (place.y >= corner.y) places.push_back(place);
    }
    // In a low plot there is no room above.
    places.push_back({x, below});
    return places;
  }
  // Along the line to the left, where marks stand at its end.
  for (const float y : {above, below}) {
    for (float x = right; x >= std::min(right, std::max(left, name.from)) && y >= corner.y; x -= em())
      places.push_back({x, y});
  }
  return places;
}

/// Returns whether there was room. `clear`: no line and no mark crosses it.
bool RooflineCeilings::add_label(const Name& name, const std::string& label, bool clear) {
  const std::vector<ImVec2> places = places_of(name, ImGui::CalcTextSize(label.c_str()));
  const ImVec4& color = name.chosen ? palette().text : palette().muted;
  return clear ? labels_.add_clear(places, label, color) : labels_.add(places, label, color);
}

std::optional<std::size_t> RooflineCeilings::under_mouse() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float nearest = em() * 0.45F;
  std::optional<std::size_t> hit;
  for (const Line& line : lines_) {
    const float apart = distance(mouse, line.from, line.to);
    if (apart > nearest) continue;
    nearest = apart;
    hit = line.index;
  }
  return hit;
}

void RooflineCeilings::mark_places() const {
  const float r = em() * 0.3F;
  for (const Line& line : lines_) {
    const float x = std::max((line.from.x + line.to.x) / 2, ImPlot::GetPlotPos().x + em());
    const float share = (x - line.from.x) / std::max(line.to.x - line.from.x, 1.0F);
    const ImVec2 at{x, line.from.y + share * (line.to.y - line.from.y)};
    landmark("roofline.ceiling." + to_words(view_.ceilings.known[line.index].id), {at.x - r, at.y - r},
             {at.x + r, at.y + r});
  }
}

}  // namespace tilescope
