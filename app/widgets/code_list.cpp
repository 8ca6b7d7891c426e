#include "app/widgets/code_list.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/search.hpp"

namespace tilescope {

namespace {

constexpr float row_height_em = 1.3F;
// "999,999" with a margin on both sides.
constexpr float bar_columns = 8;
constexpr float figure_margin_columns = 0.5F;

/// Where the parts of a line are. [px]
struct Layout {
  explicit Layout(const CodeList& list)
      : character(ImGui::CalcTextSize("0").x),
        height(std::round(ImGui::GetTextLineHeight() * row_height_em)),
        label(character * static_cast<float>(list.label_columns)),
        bar(list.has_heat ? character * bar_columns : 0),
        sign(list.has_signs ? character * 2 : 0),
        gap(character) {}

  float gutter() const { return gap + label + gap + bar + (bar > 0 ? gap : 0) + sign; }

  float character, height, label, bar, sign, gap;
};

void draw_text(ImDrawList& draw, ImVec2 at, const ImVec4& color, std::string_view text) {
  draw.AddText(at, to_u32(color), text.data(), text.data() + text.size());
}

/// Draws the lines of one list.
class Drawing {
 public:
  Drawing(const CodeList& list, const Layout& at, ImRect area)
      : list_(list), at_(at), area_(area), draw_(*ImGui::GetWindowDrawList()) {}

  void line(std::size_t index, float y) {
    const CodeRow row = list_.row(index);
    const ImVec2 min{area_.Min.x, y}, max{area_.Max.x, y + at_.height};
    if (row.background.w > 0) draw_.AddRectFilled(min, max, to_u32(row.background));
    if (row.is_linked || row.is_chosen)
      draw_.AddRectFilled(min, max, to_u32(wash(palette().accent_soft, row.is_chosen ? 1.0F : 0.55F)));
    const float left = area_.Min.x + at_.gutter();
    ImGui::PushClipRect({left, area_.Min.y}, area_.Max, true);
    const ImVec2 text_at{left - ImGui::GetScrollX(), text_y(y)};
    draw_hits(index, row.text, text_at);
    draw_text(draw_, text_at, row.color, row.text);
    ImGui::PopClipRect();
    draw_gutter(row, index, y);
    landmark(list_.id + ".row." + std::to_string(index), min, max);
  }

  /// Where a breakpoint would be, over a row of the gutter.
  void draw_ring(float y) {
    const float sign = area_.Min.x + at_.gutter() - at_.sign;
    draw_.AddCircle(mark_at({sign, y}), mark_radius(), to_u32(palette().error), 0, 1.5F * ui_scale());
  }

 private:
  float text_y(float y) const { return std::round(y + (at_.height - ImGui::GetTextLineHeight()) / 2); }

  void draw_hits(std::size_t index, std::string_view text, ImVec2 at) {
    if (list_.search.empty()) return;
    const bool is_current = list_.current_hit == index;
    for (std::size_t hit = find_in_line(text, list_.search); hit != std::string_view::npos;
         hit = find_in_line(text, list_.search, hit + list_.search.size())) {
      const float begin = at.x + ImGui::CalcTextSize(text.data(), text.data() + hit).x;
      const float width = ImGui::CalcTextSize(text.data() + hit, text.data() + hit + list_.search.size()).x;
      const ImVec2 min{begin - 1, at.y}, max{begin + width + 1, at.y + ImGui::GetTextLineHeight()};
      draw_.AddRectFilled(min, max, to_u32(wash(palette().warning, is_current ? 0.5F : 0.25F)));
      if (is_current) draw_.AddRect(min, max, to_u32(palette().warning), 0, ui_scale() * 1.5F);
    }
  }

  void draw_gutter(const CodeRow& row, std::size_t index, float y) {
    float x = area_.Min.x;
    if (row.is_chosen || row.is_linked)
      draw_.AddRectFilled({x, y}, {x + std::max(2.0F, at_.gap * 0.35F), y + at_.height},
                          to_u32(row.is_chosen ? palette().accent : wash(palette().accent, 0.6F)));
    x += at_.gap + at_.label;
    const float label = at_.character * static_cast<float>(row.label.size());
    draw_text(draw_, {x - label, text_y(y)}, row.is_chosen ? palette().text : palette().muted, row.label);
    x += at_.gap;
    if (at_.bar > 0) {
      draw_bar(row, {x, y}, {x + at_.bar, y + at_.height});
      x += at_.bar + at_.gap;
    }
    if (row.sign != 0) draw_text(draw_, {x, text_y(y)}, row.color, {&row.sign, 1});
    if (row.is_breakpoint || row.is_play_head) draw_marks(row, {x, y});
    if (at_.sign > 0)
      landmark(list_.id + ".sign." + std::to_string(index), {x, y}, {x + at_.sign, y + at_.height});
  }

  float mark_radius() const { return std::round(at_.height * 0.28F); }
  ImVec2 mark_at(ImVec2 corner) const { return {corner.x + at_.character * 0.7F, corner.y + at_.height / 2}; }

  void draw_marks(const CodeRow& row, ImVec2 corner) {
    const float radius = mark_radius();
    const ImVec2 middle = mark_at(corner);
    if (row.is_breakpoint) draw_.AddCircleFilled(middle, radius, to_u32(palette().error));
    if (!row.is_play_head) return;
    const float size = row.is_breakpoint ? radius * 0.8F : radius;
    draw_.AddTriangleFilled({middle.x - size * 0.6F, middle.y - size}, {middle.x + size, middle.y},
                            {middle.x - size * 0.6F, middle.y + size}, to_u32(palette().selection));
  }

  void draw_bar(const CodeRow& row, ImVec2 min, ImVec2 max) {
    if (row.heat <= 0) return;
    const float inset = std::max(1.0F, at_.height * 0.1F);
    const ImVec2 corner{min.x, min.y + inset};
    const ImVec2 end{min.x + std::max(2.0F, (max.x - min.x) * std::min(row.heat, 1.0F)), max.y - inset};
    if (row.is_inherited) {
      draw_.AddRect(corner, end, to_u32(wash(list_.heat_color, 0.9F)));
    } else {
      draw_.AddRectFilled(corner, end, to_u32(wash(list_.heat_color, 0.4F)));
      draw_.AddRectFilled({corner.x, end.y - std::max(1.0F, inset)}, end, to_u32(list_.heat_color));
    }
    const float width = at_.character * static_cast<float>(row.figure.size());
    const float right = max.x - at_.character * figure_margin_columns;
    draw_text(draw_, {right - width, text_y(min.y)}, palette().text, row.figure);
  }

  const CodeList& list_;
  const Layout& at_;
  ImRect area_;
  ImDrawList& draw_;
};

/// Up, Down, Page Up and Page Down from the chosen row, while the list has the keyboard focus.
std::optional<std::size_t> step_with_keys(const CodeList& list, std::size_t chosen, std::size_t page) {
  if (!ImGui::IsWindowFocused() || list.count == 0 || ImGui::GetIO().WantTextInput) return std::nullopt;
  const std::size_t last = list.count - 1;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) return std::min(chosen + 1, last);
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) return chosen - std::min<std::size_t>(chosen, 1);
  if (ImGui::IsKeyPressed(ImGuiKey_PageDown)) return std::min(chosen + page, last);
  if (ImGui::IsKeyPressed(ImGuiKey_PageUp)) return chosen - std::min(chosen, page);
  return std::nullopt;
}

void scroll_into_view(std::size_t row, const Layout& at, float visible) {
  const float top = static_cast<float>(row) * at.height;
  const float scroll = ImGui::GetScrollY();
  if (top >= scroll + at.height && top + 2 * at.height <= scroll + visible) return;
  ImGui::SetScrollY(std::max(0.0F, top - visible * 0.35F));
}

/// A line above the list, with a rule below it.
void draw_heading(const CodeList& list, const Layout& at) {
  if (list.label_heading.empty()) return;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float wide = ImGui::CalcTextSize(list.label_heading.c_str()).x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw_text(draw, {corner.x + at.gap + at.label - wide, corner.y}, palette().text, list.label_heading);
  const ImVec2 end{corner.x + ImGui::GetContentRegionAvail().x, corner.y + at.height};
  draw.AddLine({corner.x, end.y - 1}, {end.x, end.y - 1}, to_u32(palette().border));
  landmark(list.id + ".heading", corner, end);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 0);
  ImGui::Dummy({end.x - corner.x, at.height});
  ImGui::PopStyleVar();
}

}  // namespace

float code_list_width(std::size_t label_columns, std::size_t text_columns, bool has_heat) {
  const MonoText mono;
  CodeList list;
  list.label_columns = label_columns;
  list.has_heat = has_heat;
  const Layout at(list);
  return at.gutter() + at.character * static_cast<float>(text_columns + 1) + ImGui::GetStyle().ScrollbarSize;
}

CodeListAction code_list(const CodeList& list) {
  CodeListAction action;
  const MonoText mono;
  const Layout at(list);
  draw_heading(list, at);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const float width = at.gutter() + at.character * static_cast<float>(list.text_columns + 1);
  const float height = at.height * static_cast<float>(list.count);
  ImGui::SetNextWindowContentSize({width, height});
  const bool is_visible = ImGui::BeginChild(list.id.c_str(), list.size, ImGuiChildFlags_None,
                                            ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  if (is_visible) {
    const ImRect area = ImGui::GetCurrentWindow()->InnerRect;
    if (list.scroll_to) scroll_into_view(*list.scroll_to, at, area.GetHeight());
    Drawing drawing(list, at, area);
    const float origin = ImGui::GetCursorScreenPos().y;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(list.count), at.height);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        drawing.line(static_cast<std::size_t>(i), origin + at.height * static_cast<float>(i));
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsWindowHovered() && area.Contains(mouse)) {
      const float row = (mouse.y - origin) / at.height;
      if (row >= 0 && row < static_cast<float>(list.count)) action.hovered = static_cast<std::size_t>(row);
      action.is_over_gutter = mouse.x < area.Min.x + at.gutter();
      if (list.takes_breakpoints && action.hovered && action.is_over_gutter)
        drawing.draw_ring(origin + at.height * static_cast<float>(*action.hovered));
      if (action.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) action.chosen = action.hovered;
    }
    const auto page = static_cast<std::size_t>(std::max(1.0F, area.GetHeight() / at.height - 1));
    if (list.cursor) {
      if (const auto stepped = step_with_keys(list, *list.cursor, page)) action.chosen = stepped;
    }
    landmark(list.id, area.Min, area.Max);
  }
  ImGui::EndChild();
  return action;
}

}  // namespace tilescope
