#include "app/panels/learn/lesson_text.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <variant>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

ImFont* font_of(LessonSpan::Style style) {
  if (style == LessonSpan::Style::bold || style == LessonSpan::Style::italic) return fonts().bold;
  return style == LessonSpan::Style::code ? fonts().mono : fonts().text;
}

/// Words of several styles that flow from line to line.
class Flow {
 public:
  /// `width` [px] to the right edge.
  explicit Flow(float width) : left_(ImGui::GetCursorScreenPos().x), width_(std::max(width, em() * 6)) {}

  void add(const LessonSpan& span) {
    ImGui::PushFont(font_of(span.style), 0);
    std::size_t at = 0;
    while (at < span.text.size()) {
      std::size_t end = span.text.find_first_of(" \n", at);
      if (end == std::string::npos) end = span.text.size();
      if (end > at) add_word(span, span.text.substr(at, end - at));
      if (end < span.text.size() && span.text[end] == '\n') {
        x_ = width_;
      } else if (end < span.text.size()) {
        x_ += ImGui::CalcTextSize(" ").x;
      }
      at = end + 1;
    }
    ImGui::PopFont();
  }
  std::optional<std::string> clicked() const { return clicked_; }

 private:
  void add_word(const LessonSpan& span, const std::string& word) {
    const float size = ImGui::CalcTextSize(word.c_str()).x;
    const bool begins_line = is_first_ || x_ + size > width_;
    if (begins_line) x_ = 0;
    if (!begins_line) ImGui::SameLine(0, 0);
    if (!is_first_ && begins_line) ImGui::Dummy({0, 0});
    is_first_ = false;
    const bool is_link = !span.target.empty() && span.style != LessonSpan::Style::image;
    ImGui::SetCursorScreenPos({left_ + x_, ImGui::GetCursorScreenPos().y});
    text_colored(is_link ? palette().accent : palette().text, word);
    if (is_link && ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (is_link && ImGui::IsItemClicked() && span.target.ends_with(".md")) clicked_ = span.target;
    x_ += size;
  }

  float left_ = 0, width_ = 0, x_ = 0;
  bool is_first_ = true;
  std::optional<std::string> clicked_;
};

std::optional<std::string> draw_text(const LessonText& text) {
  Flow flow(ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, em() * 0.15F});
  for (const LessonSpan& span : text) flow.add(span);
  ImGui::PopStyleVar();
  return flow.clicked();
}

std::optional<std::string> draw_list(const LessonList& list) {
  std::optional<std::string> clicked;
  for (const LessonItem& item : list.items) {
    const float indent = em() * (0.4F + 1.2F * static_cast<float>(item.depth));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent);
    text_muted(item.number > 0 ? fmt::format("{}.", item.number) : "-");
    ImGui::SameLine(0, em() * 0.5F);
    ImGui::BeginGroup();
    if (const auto target = draw_text(item.text)) clicked = target;
    ImGui::EndGroup();
  }
  return clicked;
}

void draw_table(const LessonTable& table) {
  const auto columns = static_cast<int>(std::max<std::size_t>(table.header.size(), 1));
  if (!ImGui::BeginTable("table", columns, ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInner)) return;
  ImGui::TableNextRow();
  for (const LessonText& cell : table.header) {
    ImGui::TableNextColumn();
    ImGui::PushFont(fonts().bold, 0);
    text_wrapped(palette().text, plain_text(cell));
    ImGui::PopFont();
  }
  for (const auto& row : table.rows) {
    ImGui::TableNextRow();
    for (const LessonText& cell : row) {
      ImGui::TableNextColumn();
      draw_text(cell);
    }
  }
  ImGui::EndTable();
}

}  // namespace

std::optional<std::string> draw_lesson_text(const LessonElement& element) {
  std::optional<std::string> clicked;
  if (const auto* heading = std::get_if<LessonHeading>(&element.content)) {
    const float larger = heading->level == 1 ? 1.25F : 1.05F;
    if (heading->level > 1) ImGui::Spacing();
    ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * larger);
    text_wrapped(palette().text, plain_text(heading->text));
    ImGui::PopFont();
  } else if (const auto* paragraph = std::get_if<LessonParagraph>(&element.content)) {
    clicked = draw_text(paragraph->text);
  } else if (const auto* list = std::get_if<LessonList>(&element.content)) {
    clicked = draw_list(*list);
  } else if (const auto* table = std::get_if<LessonTable>(&element.content)) {
    draw_table(*table);
  } else if (const auto* code = std::get_if<LessonCode>(&element.content)) {
    const MonoText mono;
    text_wrapped(palette().muted, code->text);
  }
  ImGui::Dummy({0, em() * 0.35F});
  return clicked;
}

}  // namespace tilescope
