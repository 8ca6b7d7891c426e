#include "app/panels/kernel_file/launch_form.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

constexpr const char *guessed = "guessed", *constant = "constant", *optional = "optional";

const char* mark_of(LaunchRow::Kind kind) {
  if (kind == LaunchRow::Kind::constant) return constant;
  return kind == LaunchRow::Kind::formula ? optional : guessed;
}

const char* reset_words(LaunchRow::Kind kind) {
  if (kind == LaunchRow::Kind::constant) return "Goes back to the value in the source.";
  return kind == LaunchRow::Kind::formula ? "Compares with nothing again." : "Goes back to the guess.";
}

/// [px]
float width_of_names(const std::vector<LaunchRow>& rows) {
  float width = 0;
  for (const LaunchRow& row : rows) width = std::max(width, ImGui::CalcTextSize(row.what.c_str()).x);
  return std::min(width, em() * 14);
}

void draw_reason(const LaunchRow& row) {
  ImGui::AlignTextToFramePadding();
  const bool is_formula = row.kind == LaunchRow::Kind::formula;
  const std::string text = !row.is_chosen || is_formula ? row.reason
                           : row.reason.empty()         ? "in place of a guess"
                                                        : "in place of: " + row.reason;
  text_wrapped(palette().muted, text);
}

}  // namespace

std::optional<LaunchForm::Change> LaunchForm::draw(const std::vector<LaunchRow>& rows) {
  std::optional<Change> change;
  if (rows.empty() || !ImGui::BeginTable("launch", 4, ImGuiTableFlags_SizingFixedFit)) return change;
  const float mark = std::max(ImGui::CalcTextSize(constant).x,
                              ImGui::CalcTextSize("Reset").x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool has_formula = std::ranges::find(rows, LaunchRow::Kind::formula, &LaunchRow::kind) != rows.end();
  ImGui::TableSetupColumn("part", ImGuiTableColumnFlags_WidthFixed, width_of_names(rows));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, em() * (has_formula ? 16.0F : 9.0F));
  ImGui::TableSetupColumn("mark", ImGuiTableColumnFlags_WidthFixed, mark);
  ImGui::TableSetupColumn("reason", ImGuiTableColumnFlags_WidthStretch);
  for (const LaunchRow& row : rows) {
    ImGui::PushID(row.what.c_str());
    if (auto changed = draw_row(row)) change = std::move(changed);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_row(const LaunchRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  text_colored(palette().text, row.what);
  help_tooltip(row.what);
  ImGui::TableNextColumn();
  std::optional<Change> change = draw_field(row);
  ImGui::TableNextColumn();
  if (row.is_chosen) {
    if (ImGui::Button("Reset")) change = Change{row.what, ""};
    landmark("kernel_file.reset." + row.what);
    help_tooltip(reset_words(row.kind));
  } else {
    ImGui::AlignTextToFramePadding();
    text_muted(mark_of(row.kind));
  }
  ImGui::TableNextColumn();
  draw_reason(row);
  return change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_field(const LaunchRow& row) {
  std::string& draft = drafts_[row.what];
  if (edited_ != row.what) draft = row.value;
  const float arrow = row.proposals.empty() ? 0 : ImGui::GetFrameHeight();
  ImGui::SetNextItemWidth(arrow > 0 ? ImGui::GetContentRegionAvail().x - arrow : -FLT_MIN);
  // A value of the user's differs by its frame, and by the button beside it.
  if (row.is_chosen) ImGui::PushStyleColor(ImGuiCol_Border, palette().accent);
  {
    const MonoText mono;
    if (row.kind == LaunchRow::Kind::formula) {
      ImGui::InputTextWithHint("##value", "a formula", &draft);
    } else {
      ImGui::InputText("##value", &draft, ImGuiInputTextFlags_AutoSelectAll);
    }
  }
  if (row.is_chosen) ImGui::PopStyleColor();
  landmark("kernel_file.value." + row.what);
  const bool is_left = ImGui::IsItemDeactivated();
  if (ImGui::IsItemActive()) edited_ = row.what;
  if (arrow > 0) {
    if (auto proposed = draw_proposals(row)) return proposed;
  }
  if (!is_left) return std::nullopt;
  edited_.clear();
  if (draft == row.value) return std::nullopt;
  return Change{row.what, draft};
}

std::optional<LaunchForm::Change> LaunchForm::draw_proposals(const LaunchRow& row) {
  std::optional<Change> change;
  ImGui::SameLine(0, 0);
  const bool is_open =
      ImGui::BeginCombo("##proposals", "", ImGuiComboFlags_NoPreview | ImGuiComboFlags_PopupAlignLeft);
  landmark("kernel_file.proposals." + row.what);
  if (!is_open) return change;
  for (const std::string& proposal : row.proposals) {
    if (ImGui::Selectable(proposal.c_str(), proposal == row.value)) change = Change{row.what, proposal};
    landmark("kernel_file.proposal." + row.what + "." + proposal);
  }
  ImGui::EndCombo();
  return change;
}

}  // namespace tilescope
