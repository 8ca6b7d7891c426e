#include "app/panels/learn/lesson_museum.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/explorer/learn/lesson_reading.hpp"
#include "app/explorer/learn/museum.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"

namespace tilescope {
namespace {

bool button(const char* label, const char* mark) {
  const bool pressed = ImGui::Button(label);
  landmark(mark);
  return pressed;
}

void draw_lines(Explorer& explorer, Museum::Specimen& specimen) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(("Lines of " + specimen.file.filename().string()).c_str());
  same_line_if_fits("57 or 57-59    ");
  ImGui::SetNextItemWidth(7 * em());
  const bool entered = ImGui::InputTextWithHint("##lines", "57 or 57-59", &specimen.lines,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  landmark("museum.lines");
  same_line_if_fits("Get their text");
  if (button("Get their text", "museum.show") || entered) Museum::show_lines(specimen);
  {
    const MonoText mono;
    ImGui::InputTextMultiline("##replacement", &specimen.replacement, {-1, 7 * em()});
    landmark("museum.replacement");
  }
  if (button("Replace the lines", "museum.replace")) explorer.board().get<Museum>().replace_lines(specimen);
  if (!specimen.note.empty()) text_wrapped(palette().muted, specimen.note);
}

void draw_answers(Explorer& explorer, const LessonMuseum& block, Museum::Specimen& specimen) {
  auto& museum = explorer.board().get<Museum>();
  ImGui::BeginDisabled(specimen.is_running);
  if (button(specimen.is_running ? "Running..." : "Run the repair", "museum.run")) museum.run_repair(block);
  ImGui::EndDisabled();
  same_line_if_fits("Nothing is wrong here");
  if (button("Nothing is wrong here", "museum.sound")) museum.say_sound(block);
  if (!specimen.verdict) return;
  const bool is_right = specimen.verdict->kind == LessonVerdict::Kind::right;
  if (is_right && specimen.is_faulty) explorer.board().get<LessonReading>().mark_repaired(block);
  text_wrapped(is_right ? palette().ok : palette().warning, specimen.verdict->text);
  landmark(is_right ? "museum.right" : "museum.wrong");
}

}  // namespace

void draw_museum(Explorer& explorer, const LessonMuseum& block) {
  auto& museum = explorer.board().get<Museum>();
  {
    const TintedBox box(block.id.c_str(), palette().accent);
    Museum::Specimen* specimen = museum.find(block);
    if (button(specimen == nullptr ? "Plant it" : "Plant another one", "museum.plant")) {
      museum.plant(block);
      specimen = museum.find(block);
    }
    if (specimen != nullptr) {
      text_wrapped(palette().muted, specimen->file.string());
      draw_lines(explorer, *specimen);
      draw_answers(explorer, block, *specimen);
    }
  }
  ImGui::Spacing();
}

}  // namespace tilescope
