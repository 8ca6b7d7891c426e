#include "app/panels/model/model_bars.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {

namespace {

/// How a part is drawn wherever it stands: a part has the same fill in all points.
struct PartFill {
  ImVec4 color;
  bool hatched = false;
};

/// Parts that do work have a colour each, an index of Palette::series.
constexpr std::pair<std::string_view, std::size_t> working_parts[] = {
    {"tensor", 0},      {"FMA and ALU", 1},    {"shared memory", 2}, {"MUFU", 3},
    {"L2 and DRAM", 4}, {"bank conflicts", 5}, {"issue slots", 6}};

/// Parts that wait are grey and differ by shade and hatching. The lightest shade still stands out against the
/// panel.
struct WaitingPart {
  std::string_view name;
  float shade;
  bool hatched;
};
constexpr WaitingPart waiting_parts[] = {
    {"launch", 1.0F, false}, {"block start", 0.72F, true}, {"instruction fetch", 0.86F, false},
    {"latency", 0.8F, true}, {"barriers", 0.92F, true},    {"tail", 0.72F, false},
    {"clock", 0.62F, true}};

PartFill fill_of(const std::string& name, std::size_t place) {
  for (const auto& [part, color] : working_parts) {
    if (part == name) return {palette().series[color], false};
  }
  for (const WaitingPart& part : waiting_parts) {
    if (part.name == name) return {blend(wash(palette().muted, part.shade), palette().surface), part.hatched};
  }
  return {palette().series[place % palette().series.size()], true};
}

void draw_fill(ImDrawList& draw, ImVec2 min, ImVec2 max, const PartFill& fill) {
  draw.AddRectFilled(min, max, to_u32(fill.color));
  if (fill.hatched) hatch(draw, min, max, wash(black_or_white_on(fill.color), 0.35F), em() * 0.45F);
}

float line_weight() {
  return std::max(1.0F, std::round(em() * 0.1F));
}

/// Draws the rows of bars from the cursor on.
class Bars {
 public:
  Bars(const PartsView& view, bool recorded, const ModelHelp& help)
      : view_(view),
        recorded_(recorded),
        help_(help),
        draw_(*ImGui::GetWindowDrawList()),
        corner_(ImGui::GetCursorScreenPos()),
        line_(ImGui::GetTextLineHeight()) {
    labels_ = ImGui::CalcTextSize("Measured").x + em();
    const float right_margin = em() * 0.3F;  // Beside a scroll bar.
    const MonoText mono;
    figures_ = em() * 0.6F;
    for (const double us : {view.p50_us, view.roofline_us.value_or(0), measured_us()})
      figures_ = std::max(figures_, ImGui::CalcTextSize(format_latency(us).c_str()).x + em() * 0.6F);
    width_ = std::max(em() * 6, ImGui::GetContentRegionAvail().x - labels_ - figures_ - right_margin);
  }

  void draw() {
    draw_axis();
    begin_row("Predicted", view_.p50_us);
    draw_parts();
    end_row("predicted");
    // The band has a line of its own: on the bar it would cross the names of the last parts.
    whisker(view_.low_us, view_.high_us, top_ + bar_height() + em() * 0.35F, palette().predicted);
    top_ += row_height() + em() * 0.35F;
    if (view_.roofline_us) draw_roofline();
    if (view_.measured) draw_measured();
    ImGui::SetCursorScreenPos(corner_);
    ImGui::Dummy({labels_ + width_ + figures_, height()});
  }

 private:
  float bar_height() const { return line_ * 1.5F; }
  float row_height() const { return line_ * 1.9F; }
  float rows() const { return 1.0F + (view_.roofline_us ? 1.0F : 0.0F) + (view_.measured ? 1.0F : 0.0F); }
  float rows_height() const { return rows() * row_height() + em() * 0.35F; }
  float height() const { return rows_height() + line_ * 1.3F; }
  double measured_us() const { return view_.measured ? view_.measured->p50_us : 0; }
  float x(double us) const {
    return std::round(corner_.x + labels_ + width_ * static_cast<float>(us / view_.end_us));
  }

  void draw_axis() {
    top_ = corner_.y;
    const float bottom = corner_.y + rows_height();
    float last_right = 0;
    for (const double tick : view_.ticks) {
      draw_.AddLine({x(tick), corner_.y}, {x(tick), bottom}, to_u32(wash(palette().muted, 0.2F)));
      const bool is_last = tick == view_.ticks.back();
      const std::string text = format_number(tick, view_.end_us < 6 ? 1 : 0) + (is_last ? " µs" : "");
      const float left = x(tick) - ImGui::CalcTextSize(text.c_str()).x / 2;
      if (left < last_right + em() * 0.5F) continue;
      draw_.AddText({left, bottom + line_ * 0.15F}, to_u32(palette().muted), text.c_str());
      last_right = left + ImGui::CalcTextSize(text.c_str()).x;
    }
  }

  /// The row's name on the left and its time on the right.
  void begin_row(const char* name, double us) {
    const float middle = top_ + (bar_height() - line_) / 2;
    draw_.AddText({corner_.x, middle}, to_u32(palette().text), name);
    const MonoText mono;
    const std::string figure = format_latency(us);
    const float right = corner_.x + labels_ + width_ + figures_;
    draw_.AddText({right - ImGui::CalcTextSize(figure.c_str()).x, middle}, to_u32(palette().text),
                  figure.c_str());
  }

  void end_row(const std::string& name) {
    landmark("model.bar." + name, {corner_.x, top_},
             {corner_.x + labels_ + width_ + figures_, top_ + bar_height()});
  }

  void draw_parts() {
    const float bottom = top_ + bar_height();
    for (std::size_t i = 0; i < view_.parts.size(); ++i) {
      const PartShare& part = view_.parts[i];
      // A line of the ground between two parts: they differ without color.
      const ImVec2 min{x(part.begin_us), top_};
      const ImVec2 max{std::max(min.x + line_weight(), x(part.begin_us + part.microseconds) - line_weight()),
                       bottom};
      const PartFill fill = fill_of(part.name, i);
      draw_fill(draw_, min, max, fill);
      label_part(part, min, max, fill);
      landmark("model.part." + part.name, min, max);
      if (ImGui::IsMouseHoveringRect(min, max)) explain(part);
    }
    // The outline that predictions have in all plots.
    draw_.AddRect({x(0), top_}, {x(view_.p50_us), bottom}, to_u32(palette().predicted), 0, line_weight());
  }

  /// The name with the share, the name alone, or nothing: what fits.
  void label_part(const PartShare& part, ImVec2 min, ImVec2 max, const PartFill& fill) {
    for (const std::string& text : {part.name + " " + format_number(part.share * 100, 0) + " %", part.name}) {
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      if (size.x + em() * 0.5F > max.x - min.x) continue;
      const ImVec2 at{std::round((min.x + max.x - size.x) / 2), std::round((min.y + max.y - size.y) / 2)};
      if (fill.hatched) {
        draw_.AddRectFilled({at.x - em() * 0.15F, at.y}, {at.x + size.x + em() * 0.15F, at.y + size.y},
                            to_u32(fill.color));
      }
      draw_.AddText(at, to_u32(black_or_white_on(fill.color)), text.c_str());
      return;
    }
  }

  void explain(const PartShare& part) const {
    if (!ImGui::IsWindowHovered() || !ImGui::BeginTooltip()) return;
    tooltip_body(part.name,
                 {{"predicted", format_latency(part.microseconds)}, {"share", format_percent(part.share)}},
                 "");
    tooltip_text(help_.of_part(part.name));
    landmark("model.part_tooltip");
    ImGui::EndTooltip();
  }

  void explain_roofline() const {
    if (!ImGui::IsWindowHovered() || !ImGui::BeginTooltip()) return;
    tooltip_body("roofline", {{"time", format_latency(*view_.roofline_us)}}, "");
    tooltip_text(help_.of_roofline);
    landmark("model.roofline_tooltip");
    ImGui::EndTooltip();
  }

  static void tooltip_text(const std::string& text) {
    ImGui::PushTextWrapPos(em() * 28);
    if (!text.empty()) text_colored(palette().text, text);
    ImGui::PopTextWrapPos();
  }

  void draw_roofline() {
    begin_row("Roofline", *view_.roofline_us);
    const ImVec2 min{x(0), top_},
        max{std::max(x(*view_.roofline_us), x(0) + 2 * line_weight()), top_ + bar_height()};
    draw_.AddRectFilled(min, max, to_u32(wash(palette().warning, 0.2F)));
    draw_.AddRect(min, max, to_u32(palette().warning), 0, line_weight());
    end_row("roofline");
    if (ImGui::IsMouseHoveringRect({corner_.x, top_}, {corner_.x + labels_ + width_ + figures_, max.y}))
      explain_roofline();
    top_ += row_height();
  }

  void draw_measured() {
    begin_row(recorded_ ? "Recorded" : "Measured", view_.measured->p50_us);
    const ImVec2 min{x(0), top_}, max{x(view_.measured->p50_us), top_ + bar_height()};
    const ImVec4 color = recorded_ ? palette().recorded : palette().measured;
    draw_.AddRectFilled(min, max, to_u32(wash(color, recorded_ ? 0.45F : 1)));
    if (recorded_) hatch(draw_, min, max, wash(color, 0.8F), em() * 0.5F);
    whisker(view_.measured->p10_us, view_.measured->p90_us, top_ + bar_height() / 2, palette().text);
    end_row("measured");
    top_ += row_height();
  }

  void whisker(double low_us, double high_us, float y, const ImVec4& color) {
    const float from = x(low_us), to = x(std::min(high_us, view_.end_us));
    if (to - from < 3 * line_weight()) return;
    const float cap = em() * 0.22F;
    draw_.AddLine({from, y}, {to, y}, to_u32(color), line_weight());
    for (const float end : {from, to})
      draw_.AddLine({end, y - cap}, {end, y + cap}, to_u32(color), line_weight());
  }

  const PartsView& view_;
  bool recorded_;
  const ModelHelp& help_;
  ImDrawList& draw_;
  ImVec2 corner_;
  float line_;
  float labels_ = 0;
  float figures_ = 0;
  float width_ = 0;
  float top_ = 0;
};

void draw_number(const std::string& text) {
  const MonoText mono;
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room));
  text_colored(palette().text, text);
}

void draw_part_row(const PartsView& view, std::size_t index, const ModelHelp& help) {
  const PartShare& part = view.parts[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  draw_fill(*ImGui::GetWindowDrawList(), {corner.x, corner.y + line * 0.15F},
            {corner.x + em() * 1.1F, corner.y + line * 0.85F}, fill_of(part.name, index));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em() * 1.6F);
  text_colored(palette().text, part.name);
  landmark("model.share." + part.name);
  help_tooltip(help.of_part(part.name));
  ImGui::TableNextColumn();
  draw_number(format_us(part.microseconds));
  ImGui::TableNextColumn();
  draw_number(format_number(part.share * 100, 1));
}

}  // namespace

ImVec4 color_of_part(const std::string& name, std::size_t place) {
  return fill_of(name, place).color;
}

void draw_model_bars(const PartsView& view, bool recorded, const ModelHelp& help) {
  Bars(view, recorded, help).draw();
}

void draw_parts_table(const PartsView& view, const ModelHelp& help) {
  if (view.parts.empty() || !ImGui::BeginTable("parts", 3, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("Part", ImGuiTableColumnFlags_WidthFixed, em() * 11);
  ImGui::TableSetupColumn("µs", ImGuiTableColumnFlags_WidthFixed, em() * 5);
  ImGui::TableSetupColumn("%", ImGuiTableColumnFlags_WidthFixed, em() * 4);
  ImGui::TableNextRow();
  for (const char* header : {"Part", "µs", "%"}) {
    ImGui::TableNextColumn();
    const bool is_number = header[0] != 'P';
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(header).x;
    if (is_number) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room));
    text_muted(header);
    if (!is_number) help_tooltip(parts_exclude_each_other);
  }
  for (const std::size_t index : view.by_size) draw_part_row(view, index, help);
  ImGui::EndTable();
}

}  // namespace tilescope
