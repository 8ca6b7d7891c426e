#include "app/panels/code/source_lines.hpp"

#include <imgui.h>

#include <algorithm>
#include <cstddef>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {

namespace {

constexpr float tooltip_width_em = 32;
constexpr std::size_t tooltip_columns = 110;

// The start of a monospaced line that fits into `columns`.
std::string cut(const std::string& text, std::size_t columns) {
  if (text.size() <= columns) return text;
  return text.substr(0, columns > 3 ? columns - 3 : 0) + "...";
}

std::string numbered(const SourceExcerpt::Line& line) {
  std::string number = std::to_string(line.number);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, ' ');
  return number + "  " + line.text;
}

}  // namespace

const SourceExcerpt& excerpt_around(const SourceLinks& links, const NamedLine& named) {
  if (const auto inner = file_and_line(named.inlined_place)) {
    const SourceExcerpt& excerpt = links.find_excerpt(inner->first, inner->second);
    if (!excerpt.lines.empty()) return excerpt;
  }
  return links.find_excerpt("", named.line);
}

bool draw_named_line(const SourceLinks& links, const NamedLine& named) {
  const std::int64_t line = named.line;
  const SourceExcerpt& excerpt = excerpt_around(links, named);
  const auto found = std::find_if(excerpt.lines.begin(), excerpt.lines.end(),
                                  [](const SourceExcerpt::Line& one) { return one.is_named; });
  if (found == excerpt.lines.end()) return false;
  std::string text = found->text;
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  const MonoText mono;
  // The code wraps beside its number.
  text_muted(std::to_string(found->number));
  ImGui::SameLine(0, em());
  if (!links.leads_to("", line)) {
    text_wrapped(palette().text, text);
  } else if (line_link("line " + std::to_string(line), text, palette().accent)) {
    links.show_line(named);
  }
  if (links.leads_to("", line)) landmark("line." + std::to_string(line));
  return true;
}

void source_tooltip(const std::string& text, const SourceExcerpt& excerpt, const std::string& hint) {
  if (text.empty() && excerpt.lines.empty() && hint.empty()) return;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) || !ImGui::BeginTooltip()) return;
  if (!text.empty()) {
    ImGui::PushTextWrapPos(em() * tooltip_width_em);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  }
  if (!excerpt.lines.empty()) {
    text_muted(excerpt.file);
    const MonoText mono;
    for (const SourceExcerpt::Line& line : excerpt.lines)
      text_colored(line.is_named ? palette().text : palette().muted, cut(numbered(line), tooltip_columns));
  }
  if (!hint.empty()) text_muted(hint);
  ImGui::EndTooltip();
}

}  // namespace tilescope
