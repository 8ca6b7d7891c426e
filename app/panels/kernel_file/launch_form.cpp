#include "app/panels/kernel_file/launch_form.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/parameter_slider.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"
#include "profiler/views/kernel_file/launch_sizes.hpp"

namespace tilescope {
namespace {

constexpr const char *guessed = "guessed", *constant = "constant", *entry = "entry";
// [em] A reason stands beside the slider of its row where the cell has room for both, else below it.
constexpr float width_of_values = 9, width_of_slider = 12, width_of_both = 25;

constexpr const char *as_left_by = "as left by", *no_reference = "no other kernel",
                     *choose_reference = "compare with another kernel...";

constexpr const char *no_earlier = "none", *choose_earlier = "launch another kernel first...";

// "before.1" of "before 1 kernel".
std::string mark_of_earlier(const LaunchRow& row) {
  return fmt::format("before.{}", earlier_kernel_of(row.what).value_or(0) + 1);
}

// The mark of a row that has no value of the user's.
const char* mark_of(LaunchRow::Kind kind) {
  return kind == LaunchRow::Kind::constant ? constant : kind == LaunchRow::Kind::entry ? entry : guessed;
}

const char* help_on_reset(LaunchRow::Kind kind) {
  if (kind == LaunchRow::Kind::entry) return "Goes back to the newest entry.";
  return kind == LaunchRow::Kind::constant ? "Goes back to the value in the source."
                                           : "Goes back to the guess.";
}

// "out" of "out: expected".
std::string output_of(const LaunchRow& row) {
  return row.what.substr(0, row.what.rfind(':'));
}

/// [px]
float width_of_names(const std::vector<LaunchRow>& rows, LaunchRow::Kind kind) {
  float width = 0;
  for (const LaunchRow& row : rows)
    if (row.kind == kind) width = std::max(width, ImGui::CalcTextSize(row.what.c_str()).x);
  return std::min(width, em() * 14);
}

std::string reason_of(const LaunchRow& row) {
  if (!row.is_chosen) return row.reason;
  return row.reason.empty() ? "in place of a guess" : "in place of: " + row.reason;
}

void draw_reason(const LaunchRow& row) {
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().muted, reason_of(row));
}

// Rows with sliders are high: the whole reason is in the tooltip.
void draw_reason_below(const LaunchRow& row) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  if (!text_in_one_line(palette().muted, reason_of(row))) help_tooltip(reason_of(row));
}

}  // namespace

std::optional<LaunchForm::Change> LaunchForm::draw(const std::vector<LaunchRow>& rows, LaunchRow::Kind kind) {
  std::optional<Change> change;
  const char* id = is_compiled_in(kind) ? "constants" : "launch";
  if (!ImGui::BeginTable(id, 4, ImGuiTableFlags_SizingFixedFit)) return change;
  const float mark = std::max(ImGui::CalcTextSize(constant).x,
                              ImGui::CalcTextSize("Reset").x + 2 * ImGui::GetStyle().FramePadding.x);
  ImGui::TableSetupColumn("part", ImGuiTableColumnFlags_WidthFixed, width_of_names(rows, kind));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, width_of_values * em());
  ImGui::TableSetupColumn("mark", ImGuiTableColumnFlags_WidthFixed, mark);
  ImGui::TableSetupColumn("reason", ImGuiTableColumnFlags_WidthStretch);
  for (const LaunchRow& row : rows) {
    if (row.kind != kind) continue;
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
  ImGui::SetNextItemWidth(-FLT_MIN);
  std::optional<Change> change = draw_text(row, "");
  ImGui::TableNextColumn();
  if (row.is_chosen) {
    if (ImGui::Button("Reset")) change = Change{row.what, ""};
    landmark("kernel_file.reset." + row.what);
    help_tooltip(help_on_reset(row.kind));
  } else {
    ImGui::AlignTextToFramePadding();
    text_muted(mark_of(row.kind));
  }
  ImGui::TableNextColumn();
  if (row.proposals.empty()) {
    draw_reason(row);
    return change;
  }
  std::optional<Change> moved = is_compiled_in(row.kind) ? draw_slider(row) : draw_size(row);
  return moved ? moved : change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_size(const LaunchRow& row) {
  if (ImGui::GetContentRegionAvail().x < em() * width_of_both) {
    std::optional<Change> moved = draw_slider(row);
    draw_reason_below(row);
    return moved;
  }
  std::optional<Change> moved;
  if (!ImGui::BeginTable("size", 2, ImGuiTableFlags_SizingFixedFit)) return moved;
  ImGui::TableSetupColumn("slider", ImGuiTableColumnFlags_WidthFixed, em() * width_of_slider);
  ImGui::TableSetupColumn("reason", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  moved = draw_slider(row);
  ImGui::TableNextColumn();
  draw_reason(row);
  ImGui::EndTable();
  return moved;
}

std::optional<LaunchForm::Change> LaunchForm::draw_text(const LaunchRow& row, const char* hint) {
  std::string& draft = drafts_[row.what];
  if (edited_ != row.what) draft = row.value;
  // A value of the user's differs by its frame, and by the button beside it.
  if (row.is_chosen) ImGui::PushStyleColor(ImGuiCol_Border, palette().accent);
  {
    const MonoText mono;
    ImGui::InputTextWithHint("##value", hint, &draft, *hint == '\0' ? ImGuiInputTextFlags_AutoSelectAll : 0);
  }
  if (row.is_chosen) ImGui::PopStyleColor();
  landmark("kernel_file.value." + row.what);
  const bool is_left = ImGui::IsItemDeactivated();
  if (ImGui::IsItemActive()) edited_ = row.what;
  if (!is_left) return std::nullopt;
  edited_.clear();
  if (draft == row.value) return std::nullopt;
  return Change{row.what, draft};
}

std::optional<LaunchForm::Change> LaunchForm::draw_formulas(const std::vector<LaunchRow>& rows) {
  std::optional<Change> change;
  float width = 0;
  for (const LaunchRow& row : rows) {
    if (row.kind == LaunchRow::Kind::formula)
      width = std::max(width, ImGui::CalcTextSize((output_of(row) + " =").c_str()).x);
    if (row.kind == LaunchRow::Kind::reference) width = std::max(width, ImGui::CalcTextSize(as_left_by).x);
  }
  for (const LaunchRow& row : rows) {
    const bool is_reference = row.kind == LaunchRow::Kind::reference;
    if (row.kind != LaunchRow::Kind::formula && !is_reference) continue;
    ImGui::PushID(row.what.c_str());
    if (auto changed = is_reference ? draw_reference(row, width) : draw_formula(row, width))
      change = std::move(changed);
    ImGui::PopID();
  }
  return change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_reference(const LaunchRow& row, float width_of_name) {
  const float field = ImGui::GetCursorPosX() + width_of_name + ImGui::GetStyle().ItemSpacing.x;
  ImGui::AlignTextToFramePadding();
  text_colored(palette().text, as_left_by);
  ImGui::SameLine(field);
  std::optional<Change> change = draw_kernels(row, no_reference, choose_reference, "kernel_file.reference");
  help_tooltip("Another kernel of the file: it is run on the same buffers, and the outputs are compared.");
  if (row.is_chosen || row.suggestion.empty()) return change;
  ImGui::SetCursorPosX(field);
  text_wrapped(palette().muted, row.reason);
  ImGui::SetCursorPosX(field);
  if (ImGui::Button("Compare with it")) change = Change{row.what, row.suggestion};
  landmark("kernel_file.use." + row.what);
  return change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_kernels(const LaunchRow& row, const char* none,
                                                           const char* choose, const std::string& mark) {
  std::optional<Change> change;
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool is_open =
      ImGui::BeginCombo("##kernel", row.is_chosen ? row.value.c_str() : choose, ImGuiComboFlags_HeightLarge);
  landmark(mark);
  if (!is_open) return change;
  if (ImGui::Selectable(none, !row.is_chosen) && row.is_chosen) change = Change{row.what, ""};
  landmark(mark + ".none");
  for (std::size_t i = 0; i < row.proposals.size(); ++i) {
    const std::string& kernel = row.proposals[i];
    if (ImGui::Selectable(kernel.c_str(), kernel == row.value) && kernel != row.value)
      change = Change{row.what, kernel};
    landmark(mark + "." + std::to_string(i));
  }
  ImGui::EndCombo();
  return change;
}

std::vector<LaunchForm::Change> LaunchForm::draw_earlier(const std::vector<LaunchRow>& rows) {
  std::vector<Change> changes, offered;
  for (const LaunchRow& row : rows) {
    if (row.kind != LaunchRow::Kind::earlier) continue;
    if (!row.suggestion.empty()) {
      text_wrapped(palette().muted, row.reason);
      offered.push_back({row.what, row.suggestion});
      continue;
    }
    ImGui::PushID(row.what.c_str());
    if (auto change = draw_kernels(row, no_earlier, choose_earlier, "kernel_file." + mark_of_earlier(row)))
      changes.push_back(std::move(*change));
    ImGui::PopID();
  }
  if (offered.empty()) return changes;
  const std::string label = offered.size() == 1 ? "Launch it first" : "Launch them first";
  if (ImGui::Button(label.c_str())) changes = offered;
  landmark("kernel_file.use.before");
  help_tooltip("The kernel then begins with what they leave in the buffers, in place of random values.");
  return changes;
}

std::optional<LaunchForm::Change> LaunchForm::draw_formula(const LaunchRow& row, float width_of_name) {
  const float left = ImGui::GetCursorPosX(), gap = ImGui::GetStyle().ItemSpacing.x;
  const float button = ImGui::CalcTextSize("Reset").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float field = left + width_of_name + gap;
  ImGui::AlignTextToFramePadding();
  text_colored(palette().text, output_of(row) + " =");
  ImGui::SameLine(field);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - (row.is_chosen ? button + gap : 0));
  std::optional<Change> change = draw_text(row, "2 * x");
  if (row.is_chosen) {
    ImGui::SameLine(0, gap);
    if (ImGui::Button("Reset")) change = Change{row.what, ""};
    landmark("kernel_file.reset." + row.what);
    help_tooltip("Compares with nothing again.");
    return change;
  }
  ImGui::SetCursorPosX(field);
  text_wrapped(palette().muted, row.reason);
  if (row.proposals.empty()) return change;
  ImGui::SetCursorPosX(field);
  if (ImGui::Button("Compare with it")) change = Change{row.what, row.proposals.front()};
  landmark("kernel_file.use." + row.what);
  return change;
}

std::optional<LaunchForm::Change> LaunchForm::draw_slider(const LaunchRow& row) {
  SliderView slider;
  slider.name = row.what;
  slider.help = is_compiled_in(row.kind) ? capitalised(row.reason) + "." : "";
  if (row.kind == LaunchRow::Kind::constant)
    slider.help += " Each value is compiled into the source; the file stays as it is.";
  for (const std::string& proposal : row.proposals) slider.values.push_back({proposal, ""});
  const auto place_of = [&](const std::string& value) {
    return static_cast<std::size_t>(std::ranges::find(row.proposals, value) - row.proposals.begin());
  };
  slider.current = place_of(short_size(row.value));
  slider.default_value = row.is_chosen ? slider.values.size() : slider.current;
  const SliderAction action = value_slider(slider);
  if (!action.moved_to) return std::nullopt;
  const std::string& value = row.proposals[*action.moved_to];
  const bool is_guess = row.is_chosen && !row.guess.empty() && value == short_size(row.guess);
  return Change{row.what, is_guess ? "" : value};
}

}  // namespace tilescope
