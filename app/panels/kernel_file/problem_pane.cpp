#include "app/panels/kernel_file/problem_pane.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <optional>
#include <utility>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

bool lacks_headers(const std::string& sentence) {
  return sentence.find("-I FOLDER") != std::string::npos;
}

bool lacks_macros(const std::string& sentence) {
  return sentence.find(" -D ") != std::string::npos;
}

/// A field and its button, whose landmarks are "kernel_file.TAG" and "kernel_file.TAG.button".
struct InputWords {
  const char *tag, *hint, *button;
};

/// Returns what was typed, and empties it, when it is entered.
std::optional<std::string> draw_input(const InputWords& words, std::string& text) {
  ImGui::Spacing();
  ImGui::PushID(words.tag);
  const float button = ImGui::CalcTextSize(words.button).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button - ImGui::GetStyle().ItemSpacing.x);
  const bool is_typed =
      ImGui::InputTextWithHint("##text", words.hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
  landmark(std::string("kernel_file.") + words.tag);
  ImGui::SameLine();
  const bool is_pressed = ImGui::Button(words.button);
  landmark(std::string("kernel_file.") + words.tag + ".button");
  ImGui::PopID();
  if ((!is_typed && !is_pressed) || text.empty()) return std::nullopt;
  return std::exchange(text, "");
}

void draw_problem(const std::string& title, const std::string& sentence) {
  const TintedBox box("problem", palette().error);
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().error, title);
  ImGui::PopFont();
  text_wrapped(palette().text, capitalised(sentence));
  landmark("kernel_file.problem");
  if (ImGui::Button("Copy message")) ImGui::SetClipboardText(sentence.c_str());
}

const char* title_of(const OpenedPoint& point) {
  switch (point.problem) {
    case FileProblem::code:
      return point.reason.find("does not compile") == std::string::npos ? "Cannot open the file"
                                                                        : "The file does not compile";
    case FileProblem::entry:
      return "Choose a kernel";
    case FileProblem::launch:
      return "Invalid launch";
    case FileProblem::none:
      break;
  }
  return point.status == Status::launch_failed ? "Invalid launch" : "Not executed";
}

}  // namespace

void ProblemPane::draw_unread(const std::string& sentence) {
  draw_problem("Cannot open the file", sentence);
}

void ProblemPane::draw(const OpenedFileView& view, OpenedFile& opened) {
  draw_problem(title_of(view.point), view.problem);
  if (lacks_headers(view.problem)) {
    if (const auto folder =
            draw_input({"include_folder", "A folder with headers", "Add folder"}, include_folder_))
      opened.add_include_folder(*folder);
  }
  if (lacks_macros(view.problem)) {
    if (const auto macro = draw_input({"definition", "NAME=VALUE", "Define"}, definition_))
      opened.define(*macro);
  }
}

}  // namespace tilescope
