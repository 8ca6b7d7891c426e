#include "app/panels/learn/exhibit_card.hpp"

#include <imgui.h>

#include <string>

#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/point_findings.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"

namespace tilescope {

namespace {

// The switch of every exhibit's bug.
const char* const fault = "FAULT";

void draw_paragraph(const char* title, const std::string& text) {
  ImGui::PushFont(fonts().bold, 0);
  text_colored(palette().text, title);
  ImGui::PopFont();
  text_wrapped(palette().text, text);
  ImGui::Spacing();
}

// A button to the other value of the switch: without the bug there is nothing to see.
void draw_switch(Explorer& explorer) {
  const ParameterDeclaration* parameter = explorer.selection().kernel().find_parameter(fault);
  if (parameter == nullptr) return;
  const Configuration here =
      explorer.selection().kernel().complete(explorer.selection().experiment().parameters);
  for (const ParameterValue& value : parameter->values) {
    if (value == here.at(fault)) continue;
    if (ImGui::Button(("Set FAULT=" + to_string(value)).c_str())) {
      Experiment experiment = explorer.selection().experiment();
      experiment.parameters[fault] = value;
      explorer.selection().set_experiment(std::move(experiment));
    }
    landmark("exhibit.fault." + to_string(value));
    help_tooltip(parameter->help);
    ImGui::SameLine();
  }
}

}  // namespace

void draw_exhibit_card(Explorer& explorer) {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  if (!kernel.card || explorer.shown().is_another()) return;
  const TintedBox box("card", palette().accent);
  constexpr ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_NoTreePushOnOpen |
                                       ImGuiTreeNodeFlags_SpanAvailWidth;
  const bool is_open = ImGui::TreeNodeEx("Exhibit", flags);
  landmark("exhibit");
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, kernel.title);
  ImGui::PopFont();
  if (!is_open) return;
  ImGui::Spacing();
  draw_paragraph("Symptom", kernel.card->looks);
  draw_paragraph("Evidence", kernel.card->shown);
  draw_paragraph("Repair", kernel.card->repair);
  if (!kernel.card->diagnosis.empty()) draw_paragraph("Diagnosis", kernel.card->diagnosis);
  draw_switch(explorer);
  draw_run_checkers(explorer);
}

}  // namespace tilescope
