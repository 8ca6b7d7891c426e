#include "app/panels/step/softmax_plots.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/plot_zoom.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

MarkStyle kernel_style() {
  return {ImPlotMarker_Circle, palette().counted, true, false};
}

MarkStyle exact_style() {
  return {ImPlotMarker_Square, palette().muted, false, false};
}

bool begin_plot(const char* id, const char* x, const char* y, ImVec2 size) {
  if (!ImPlot::BeginPlot(id, size, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) return false;
  ImPlot::SetupAxes(x, y, ImPlotAxisFlags_NoMenus, ImPlotAxisFlags_NoMenus);
  return true;
}

/// Room around all values, also where they are one value.
void fit_values(const std::vector<double>& first, const std::vector<double>& second = {}) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (const std::vector<double>* values : {&first, &second}) {
    for (const double value : *values) {
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
  }
  if (least > largest) return ImPlot::SetupAxisLimits(ImAxis_Y1, 0, 1, ImPlotCond_Always);
  const double room = std::max(0.08 * (largest - least), 0.01 * std::max(std::abs(least), std::abs(largest)));
  const double margin = room > 0 ? room : 1;
  ImPlot::SetupAxisLimits(ImAxis_Y1, least - margin, largest + margin, ImPlotCond_Always);
}

/// At whole tiles, eight at most.
void setup_tile_ticks(std::size_t tiles) {
  constexpr std::size_t most = 8;
  const std::size_t step = std::max<std::size_t>((tiles + most - 1) / most, 1);
  std::vector<double> places;
  std::vector<std::string> names;
  for (std::size_t tile = 1; tile <= tiles; tile += step) {
    places.push_back(static_cast<double>(tile));
    names.push_back(std::to_string(tile));
  }
  std::vector<const char*> labels;
  labels.reserve(names.size());
  for (const std::string& name : names) labels.push_back(name.c_str());
  if (!places.empty())
    ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), static_cast<int>(places.size()), labels.data());
}

void draw_running(const char* name, const SoftmaxPart& part, const std::vector<double>& kernel,
                  const std::vector<double>& exact, ImVec2 size) {
  const ZoomWithCtrl zoom;
  if (!begin_plot((std::string("##") + name).c_str(), "tile", name, size)) return;
  ImPlot::SetupAxisLimits(ImAxis_X1, 0.5, static_cast<double>(part.tiles.size()) + 0.5, ImPlotCond_Always);
  setup_tile_ticks(part.tiles.size());
  fit_values(kernel, exact);
  ImPlot::SetupFinish();
  const ImVec2 corner = ImPlot::GetPlotPos(), area = ImPlot::GetPlotSize();
  landmark(std::string("plot.softmax.") + name, corner, {corner.x + area.x, corner.y + area.y});
  const int count = static_cast<int>(part.numbers.size());
  if (count > 0) {
    ImPlotSpec line;
    line.LineColor = exact_style().color;
    line.LineWeight = std::max(1.0F, em() * 0.1F);
    ImPlot::PlotLine("float64", part.numbers.data(), exact.data(), count, line);
    const float radius = part.tiles.size() > 64 ? em() * 0.15F : em() * 0.28F;
    ImPlot::PlotScatter("kernel", part.numbers.data(), kernel.data(), count,
                        mark_spec(kernel_style(), radius));
  }
  ImPlot::EndPlot();
}

ImVec4 color_of_score(const ScoreStrip& strip, double score) {
  const double range = strip.largest - strip.least;
  const double place = range > 0 ? (score - strip.least) / range : 1;
  return ImPlot::SampleColormap(static_cast<float>(place), palette().heat_map);
}

void score_tooltip(const ScoreStrip& strip, std::size_t index) {
  const double score = strip.scores[index];
  const std::string value = std::isnan(score)   ? "not named by a probe"
                            : std::isinf(score) ? "masked"
                                                : value_words(score);
  ImGui::SetTooltip("Key %s: %s", format_count(strip.first_key + static_cast<std::int64_t>(index)).c_str(),
                    value.c_str());
}

void draw_strip(const ScoreStrip& strip) {
  const auto count = static_cast<float>(strip.scores.size());
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float cell = std::clamp(ImGui::GetContentRegionAvail().x / count, 1.0F, 2.5F * em());
  const ImVec2 size{cell * count, 1.3F * em()};
  ImGui::InvisibleButton("strip", size);
  landmark("softmax.strip");
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < strip.scores.size(); ++i) {
    const ImVec2 min{corner.x + static_cast<float>(i) * cell, corner.y};
    const ImVec2 max{min.x + cell, corner.y + size.y};
    if (std::isfinite(strip.scores[i])) {
      draw.AddRectFilled(min, max, to_u32(color_of_score(strip, strip.scores[i])));
    } else if (!std::isnan(strip.scores[i])) {
      hatch(draw, min, max, wash(palette().muted, 0.5F), em() * 0.4F);
    }
  }
  draw.AddRect(corner, {corner.x + size.x, corner.y + size.y}, to_u32(palette().border));
  if (!ImGui::IsItemHovered()) return;
  const auto index = static_cast<std::size_t>(std::max(0.0F, (ImGui::GetIO().MousePos.x - corner.x) / cell));
  if (index < strip.scores.size()) score_tooltip(strip, index);
}

void draw_score_plot(const ScoreStrip& strip, float height) {
  std::vector<double> keys, scores;
  keys.reserve(strip.scores.size());
  scores.reserve(strip.scores.size());
  for (std::size_t i = 0; i < strip.scores.size(); ++i) {
    if (!std::isfinite(strip.scores[i])) continue;
    keys.push_back(static_cast<double>(strip.first_key) + static_cast<double>(i));
    scores.push_back(strip.scores[i]);
  }
  const ZoomWithCtrl zoom;
  if (!begin_plot("##scores", "key", "score", {-1, height})) return;
  const auto first = static_cast<double>(strip.first_key);
  ImPlot::SetupAxisLimits(ImAxis_X1, first - 0.5, first + static_cast<double>(strip.scores.size()) - 0.5,
                          ImPlotCond_Always);
  const double overflows = NaiveSoftmax::limit;
  fit_values(scores, strip.largest > overflows ? std::vector<double>{overflows} : std::vector<double>{});
  ImPlot::SetupFinish();
  const ImVec2 corner = ImPlot::GetPlotPos(), area = ImPlot::GetPlotSize();
  landmark("plot.softmax.scores", corner, {corner.x + area.x, corner.y + area.y});
  if (!keys.empty()) {
    const float radius = keys.size() > 96 ? em() * 0.12F : em() * 0.2F;
    ImPlot::PlotScatter("scores", keys.data(), scores.data(), static_cast<int>(keys.size()),
                        mark_spec(kernel_style(), radius));
    if (strip.largest > overflows) {
      ImPlotSpec line;
      line.LineColor = palette().error;
      const std::array ends{first - 0.5, first + static_cast<double>(strip.scores.size())};
      const std::array limits{overflows, overflows};
      ImPlot::PlotLine("exp overflows", ends.data(), limits.data(), 2, line);
    }
  }
  ImPlot::EndPlot();
}

}  // namespace

void draw_running_plots(const SoftmaxPart& part, float height) {
  section_heading("m and l by tile", "interpreted");
  draw_legend(std::array{LegendEntry{kernel_style(), "kernel, in float"},
                         LegendEntry{exact_style(), "line: float64 of the same keys; l for the kernel's m"}});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float space = ImGui::GetContentRegionAvail().x;
  const bool side_by_side = space > 28 * em();
  const float width = side_by_side ? (space - gap) / 2 : space;
  draw_running("m", part, part.m, part.exact_m, {width, height});
  if (side_by_side) ImGui::SameLine();
  draw_running("l", part, part.l, part.exact_l, {width, height});
}

static std::string strip_words(const ScoreStrip& strip) {
  if (strip.masked == static_cast<std::int64_t>(strip.scores.size()))
    return "All " + format_count(strip.masked) + " keys are masked";
  return value_words(strip.least) + " (dark) to " + value_words(strip.largest) + " (bright)" +
         (strip.masked > 0 ? ", " + format_count(strip.masked) + " masked" : "");
}

void draw_scores(const ScoreStrip& strip, float height) {
  if (strip.scores.empty()) return;
  const bool has_scores = strip.unnamed < static_cast<std::int64_t>(strip.scores.size());
  section_heading("Scores of this tile", has_scores ? "Q K^T * scale, masked ones hatched" : "");
  if (!has_scores) return text_wrapped(palette().muted, "The kernel's probes do not name the scores.");
  draw_strip(strip);
  text_muted(strip_words(strip));
  draw_score_plot(strip, height);
}

}  // namespace tilescope
