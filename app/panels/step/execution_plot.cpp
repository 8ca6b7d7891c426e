#include "app/panels/step/execution_plot.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

ImVec4 color_of_phase(char letter) {
  const Palette& colors = palette();
  switch (letter) {
    case 'l':
      return colors.series[0];
    case 'c':
      return colors.series[1];
    case 'm':
      return colors.series[2];
    case 'a':
      return colors.series[3];
    case 's':
      return colors.series[4];
    default:
      return faint_color();
  }
}

constexpr float fill_opacity = 0.75F;

void draw_phase(ImDrawList& draw, char letter, ImVec2 min, ImVec2 max) {
  if (letter == 'w') return hatch(draw, min, max, faint_color(), em() * 0.35F);
  draw.AddRectFilled(min, max, to_u32(wash(color_of_phase(letter), letter == 'o' ? 0.35F : fill_opacity)));
}

/// A triangle at the edge behind which the play head is.
void point_to_head(ImDrawList& draw, ImVec2 min, ImVec2 max, float x) {
  const float half = em() * 0.35F, middle = (min.y + max.y) / 2;
  const float edge = x < min.x ? min.x + half : max.x - half, tip = x < min.x ? -half : half;
  draw.AddTriangleFilled({edge - tip, middle - half}, {edge + tip, middle}, {edge - tip, middle + half},
                         to_u32(palette().selection));
}

}  // namespace

/// Where the plot lies on the screen.
struct ExecutionPlot::Area {
  ImVec2 min, max;
  float row = 0;
  RoundWindow window;

  float x_of(double round) const {
    return min.x + static_cast<float>((round - window.first) / window.width()) * (max.x - min.x);
  }
  double round_at(float x) const {
    return window.first + static_cast<double>((x - min.x) / (max.x - min.x)) * window.width();
  }
  float y_of(std::size_t warp) const { return min.y + row * static_cast<float>(warp); }
};

float ExecutionPlot::least_height(std::size_t warps) {
  return em() * (0.55F * static_cast<float>(std::max<std::size_t>(warps, 1)) + 3.2F);
}

void ExecutionPlot::derive(const BlockStepping& stepping) {
  stop_ = stepping.stop();
  if (stepping.timeline() != whole_) {
    const bool had_rounds = whole_ && stepping.timeline() && whole_->rounds == stepping.timeline()->rounds;
    whole_ = stepping.timeline();
    whole_runs_ = whole_ ? phase_runs(*whole_) : std::vector<std::vector<PhaseRun>>();
    if (whole_ && !had_rounds) window_ = {0, static_cast<double>(std::max<std::uint64_t>(whole_->rounds, 1))};
  }
  if (stepping.range() != range_) {
    range_ = stepping.range();
    range_runs_ = range_ ? phase_runs(*range_) : std::vector<std::vector<PhaseRun>>();
  }
}

void ExecutionPlot::draw(BlockStepping& stepping, float height) {
  derive(stepping);
  if (!stop_ || !whole_) return text_muted("Reading what each warp issued...");
  if (stop_->round != followed_) {
    followed_ = stop_->round;
    window_ = following(window_, stop_->round, whole_->rounds);
  }
  const float labels = ImGui::CalcTextSize("Warp 31").x + em() * 0.5F;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  // As wide with the panel's scroll bar as without it: rounds stay where they are while the user steps.
  const ImGuiStyle& style = ImGui::GetStyle();
  const float bar = ImGui::GetScrollMaxY() > 0 ? 0 : style.ScrollbarSize;
  const float width = std::max(ImGui::GetContentRegionAvail().x - bar, em() * 12);
  Area area{{origin.x + labels, origin.y + em() * 1.2F},
            {origin.x + width, origin.y + height - em() * 2.2F},
            0,
            window_};
  const std::size_t warps = whole_->warps.size();
  area.row = (area.max.y - area.min.y) / static_cast<float>(std::max<std::size_t>(warps, 1));
  ImGui::InvisibleButton("plot", {width, height});
  landmark("execution.plot", area.min, area.max);
  take_mouse(stepping, area);
  area.window = window_;
  const StepRange wanted = range_for(*whole_, window_, static_cast<std::uint64_t>(area.max.x - area.min.x));
  if (wanted.cells > 0) stepping.want_range(wanted);

  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(area.min, area.max, to_u32(palette().plot));
  const bool covers = wanted.cells > 0 && range_ &&
                      static_cast<double>(range_->first_round) <= window_.first &&
                      static_cast<double>(range_->end_round) >= std::floor(window_.end);
  draw.PushClipRect(area.min, area.max, true);
  const StepTimeline& shown = covers ? *range_ : *whole_;
  draw_runs(area, covers ? range_runs_ : whole_runs_);
  if (shown.rounds_per_cell == 1) draw_instructions(area, shown);
  draw.PopClipRect();
  draw_marks(area, shown);
  draw_play_head(area);
  for (std::size_t w = 0; w < warps; ++w) {
    const bool is_labelled = area.row >= ImGui::GetTextLineHeight() * 0.95F || w % 4 == 0;
    if (!is_labelled) continue;
    const std::string label = fmt::format("Warp {}", w);
    const bool is_chosen = w == stepping.view().warp;
    draw.AddText({origin.x, area.y_of(w) + (area.row - ImGui::GetTextLineHeight()) / 2},
                 to_u32(is_chosen ? palette().text : palette().muted), label.c_str());
  }
  draw_axis(area);
  explain(area, shown);
}

bool ExecutionPlot::is_zoomed() const {
  return whole_ != nullptr && window_.width() < static_cast<double>(whole_->rounds);
}

void ExecutionPlot::show_whole() {
  window_ = {0, static_cast<double>(std::max<std::uint64_t>(whole_->rounds, 1))};
}

void ExecutionPlot::take_wheel(const Area& area) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0 && io.KeyShift) {
    window_ = moved(window_, -0.1 * static_cast<double>(io.MouseWheel) * window_.width(), whole_->rounds);
  } else if (io.MouseWheel != 0 && io.KeyCtrl) {
    window_ = zoomed(window_, area.round_at(io.MousePos.x), std::pow(0.8, static_cast<double>(io.MouseWheel)),
                     whole_->rounds);
  }
  if (io.MouseWheelH != 0)
    window_ = moved(window_, 0.1 * static_cast<double>(io.MouseWheelH) * window_.width(), whole_->rounds);
}

/// A press in the rows takes the play head along until it is released; one in the axis below moves what is seen.
void ExecutionPlot::take_mouse(BlockStepping& stepping, const Area& area) {
  const ImGuiIO& io = ImGui::GetIO();
  // The wheel alone scrolls what the plot stands in.
  if (io.KeyCtrl || io.KeyShift) ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const bool hovered = ImGui::IsItemHovered(), is_in_axis = io.MousePos.y >= area.max.y;
  if (hovered) take_wheel(area);
  if (hovered && is_in_axis && is_zoomed()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    drag_ = Drag::none;
    return show_whole();
  }
  if (ImGui::IsItemActivated()) {
    drag_ = is_in_axis ? Drag::window : Drag::play_head;
    const double row = static_cast<double>((io.MousePos.y - area.min.y) / area.row);
    if (!is_in_axis && row >= 0 && row < static_cast<double>(whole_->warps.size()))
      stepping.choose_warp(static_cast<std::uint64_t>(row));
    if (!is_in_axis && io.MousePos.x >= area.min.x) move_head(stepping, area);
  }
  if (!ImGui::IsItemActive()) {
    drag_ = Drag::none;
  } else if (drag_ == Drag::window) {
    const double by = -static_cast<double>(io.MouseDelta.x / (area.max.x - area.min.x)) * window_.width();
    window_ = moved(window_, by, whole_->rounds);
  } else if (drag_ == Drag::play_head && io.MouseDelta.x != 0) {
    move_head(stepping, area);
  }
}

void ExecutionPlot::move_head(BlockStepping& stepping, const Area& area) const {
  const double x = std::clamp(ImGui::GetIO().MousePos.x, area.min.x, area.max.x);
  StepTarget target;
  target.kind = StepTarget::Kind::round;
  target.number = static_cast<std::int64_t>(
      std::clamp(area.round_at(static_cast<float>(x)), 0.0, static_cast<double>(whole_->rounds)));
  stepping.go(target);
}

void ExecutionPlot::draw_runs(const Area& area, const std::vector<std::vector<PhaseRun>>& warps) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = std::max(1.0F, area.row * 0.08F);
  for (std::size_t w = 0; w < warps.size(); ++w) {
    for (const PhaseRun& run : warps[w]) {
      if (static_cast<double>(run.end) < area.window.first ||
          static_cast<double>(run.first) > area.window.end)
        continue;
      const float left = std::max(area.x_of(static_cast<double>(run.first)), area.min.x);
      const float right = std::min(area.x_of(static_cast<double>(run.end)), area.max.x);
      draw_phase(draw, run.letter, {left, area.y_of(w) + gap},
                 {std::max(right, left + 1), area.y_of(w) + area.row - gap});
    }
  }
}

void ExecutionPlot::draw_instructions(const Area& area, const StepTimeline& range) const {
  const float cell = area.x_of(1) - area.x_of(0);
  if (cell < em() * 0.5F) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const MonoText mono;
  for (std::size_t w = 0; w < range.issued.size(); ++w) {
    for (std::size_t i = 0; i < range.issued[w].size(); ++i) {
      const std::int64_t number = range.issued[w][i];
      const double round = static_cast<double>(range.first_round + i);
      if (number < 0 || round + 1 < area.window.first || round > area.window.end) continue;
      const float left = area.x_of(round), right = area.x_of(round + 1);
      draw.AddLine({right, area.y_of(w)}, {right, area.y_of(w) + area.row}, to_u32(palette().surface));
      const std::string opcode = short_opcode(range.instructions[static_cast<std::size_t>(number)]);
      const ImVec2 size = ImGui::CalcTextSize(opcode.c_str());
      if (size.x + em() * 0.2F > right - left || size.y > area.row) continue;
      draw.AddText({(left + right - size.x) / 2, area.y_of(w) + (area.row - size.y) / 2},
                   to_u32(palette().text), opcode.c_str());
    }
  }
}

void ExecutionPlot::draw_marks(const Area& area, const StepTimeline& timeline) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float weight = std::max(1.0F, ui_scale());
  float last = area.min.x - em();
  for (const StepMark& mark : timeline.barriers) {
    const float x = area.x_of(static_cast<double>(mark.round));
    if (x < area.min.x || x > area.max.x || x - last < 3 * weight) continue;
    last = x;
    draw.AddLine({x, area.min.y}, {x, area.max.y}, to_u32(palette().outline), weight);
  }
  float free_from = area.min.x;
  for (std::size_t i = 0; i < timeline.tiles.size(); ++i) {
    const float x = area.x_of(static_cast<double>(timeline.tiles[i].round));
    if (x < area.min.x || x > area.max.x) continue;
    draw.AddLine({x, area.min.y - em() * 0.3F}, {x, area.min.y}, to_u32(palette().muted), weight);
    const std::string label = fmt::format("Tile {}", i + 1);
    const float width = ImGui::CalcTextSize(label.c_str()).x;
    if (x < free_from || x + width > area.max.x) continue;
    draw.AddText({x, area.min.y - em() * 1.2F}, to_u32(palette().muted), label.c_str());
    free_from = x + width + em() * 0.6F;
  }
}

void ExecutionPlot::draw_play_head(const Area& area) const {
  const float x = area.x_of(static_cast<double>(stop_->round));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 color = to_u32(palette().selection);
  if (x < area.min.x - 1 || x > area.max.x + 1) return point_to_head(draw, area.min, area.max, x);
  draw.AddLine({x, area.min.y}, {x, area.max.y}, color, 2 * ui_scale());
  const float half = em() * 0.3F;
  draw.AddTriangleFilled({x - half, area.min.y - half}, {x + half, area.min.y - half}, {x, area.min.y + half},
                         color);
  landmark("execution.head", {x - half, area.min.y}, {x + half, area.max.y});
}

void ExecutionPlot::draw_axis(const Area& area) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 color = to_u32(palette().muted);
  const auto most = static_cast<std::size_t>(std::max((area.max.x - area.min.x) / (em() * 6), 2.0F));
  const float top = area.max.y + em() * 0.15F;
  float free_from = area.min.x - em();
  for (const std::uint64_t tick : round_ticks(area.window, most)) {
    const float x = area.x_of(static_cast<double>(tick));
    const std::string label = format_count(static_cast<std::int64_t>(tick));
    const float width = ImGui::CalcTextSize(label.c_str()).x;
    draw.AddLine({x, area.max.y}, {x, area.max.y + em() * 0.2F}, color, std::max(1.0F, ui_scale()));
    const float left = std::clamp(x - width / 2, area.min.x, area.max.x - width);
    if (left < free_from) continue;
    draw.AddText({left, top}, color, label.c_str());
    free_from = left + width + em() * 0.5F;
  }
  const std::string title = "Rounds: one issue slot of each warp. An order, not a time";
  const float width = ImGui::CalcTextSize(title.c_str()).x;
  const float left = (area.min.x + area.max.x - width) / 2;
  if (width < area.max.x - area.min.x) draw.AddText({left, top + em()}, color, title.c_str());
}

void ExecutionPlot::explain(const Area& area, const StepTimeline& shown) const {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) || drag_ != Drag::none) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x < area.min.x || mouse.x > area.max.x || mouse.y < area.min.y || mouse.y >= area.max.y) return;
  const auto warp = static_cast<std::size_t>((mouse.y - area.min.y) / area.row);
  const auto round = static_cast<std::uint64_t>(std::max(area.round_at(mouse.x), 0.0));
  const auto& runs = &shown == range_.get() ? range_runs_ : whole_runs_;
  if (warp >= runs.size() || !ImGui::BeginTooltip()) return;
  std::vector<TextPair> lines{{"Round", format_count(static_cast<std::int64_t>(round))}};
  std::string heading = fmt::format("Warp {}", warp);
  for (const PhaseRun& run : runs[warp]) {
    if (round < run.first || round >= run.end) continue;
    heading += fmt::format(": {}", phase_name(run.letter));
    lines.emplace_back("Rounds of this phase",
                       fmt::format("{} to {}", format_count(static_cast<std::int64_t>(run.first)),
                                   format_count(static_cast<std::int64_t>(run.end - 1))));
  }
  const std::uint64_t cell = round - std::min(round, shown.first_round);
  const bool has_instruction =
      shown.rounds_per_cell == 1 && warp < shown.issued.size() && cell < shown.issued[warp].size();
  if (has_instruction && shown.issued[warp][cell] >= 0) {
    const auto at = static_cast<std::size_t>(shown.issued[warp][cell]);
    lines.emplace_back("Line", std::to_string(shown.lines[at]));
    lines.emplace_back("Instruction", shown.instructions[at]);
  }
  tooltip_body(heading, lines,
               "Click or drag: move the play head. Ctrl and wheel: zoom. Double click: whole block");
  ImGui::EndTooltip();
}

void draw_phase_legend(const StepTimeline* timeline) {
  bool is_first = true;
  const auto occurs = [&](char letter) {
    return timeline == nullptr || std::ranges::any_of(timeline->warps, [&](const std::string& cells) {
             return cells.find(letter) != std::string::npos;
           });
  };
  for (const PhaseLegend& phase : phase_legend()) {
    if (!occurs(phase.letter)) continue;
    const std::string name(phase.name);
    const float width = ImGui::CalcTextSize(name.c_str()).x + em() * 1.2F;
    if (!is_first) same_line_if_fits(width);
    is_first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = em() * 0.7F, top = at.y + (ImGui::GetTextLineHeight() - side) / 2;
    draw_phase(*ImGui::GetWindowDrawList(), phase.letter, {at.x, top}, {at.x + side, top + side});
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, em() * 0.3F);
    text_muted(name);
    help_tooltip(std::string(phase.help));
  }
  if (timeline == nullptr || timeline->barriers.empty()) return;
  same_line_if_fits(ImGui::CalcTextSize("barrier").x + em());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(), x = at.x + em() * 0.3F;
  ImGui::GetWindowDrawList()->AddLine({x, at.y + height * 0.15F}, {x, at.y + height * 0.85F},
                                      to_u32(palette().outline), std::max(1.0F, ui_scale()));
  ImGui::Dummy({em() * 0.6F, height});
  ImGui::SameLine(0, em() * 0.3F);
  text_muted("barrier");
  help_tooltip("A barrier of the block has let its warps go.");
}

}  // namespace tilescope
