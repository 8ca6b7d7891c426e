#include "app/panels/sweep_control.hpp"

#include <imgui.h>

#include "app/shell/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

std::string progress_text(const Campaign& sweep) {
  std::string text = format_count(static_cast<std::int64_t>(sweep.done())) + " of " +
                     format_count(static_cast<std::int64_t>(sweep.total()));
  if (const auto remaining = sweep.remaining_s()) text += ", " + format_duration(*remaining) + " left";
  return text;
}

}  // namespace

void SweepControl::toggle(const std::string& parameter) {
  if (varied_.erase(parameter) == 0) varied_.insert(parameter);
}

SweptParameters SweepControl::swept_of(const Explorer& explorer) const {
  SweptParameters swept;
  for (const ParameterDeclaration& parameter : explorer.selection().kernel().parameters) {
    if (is_varied(parameter.name)) swept.emplace_back(parameter.name, parameter.values);
  }
  return swept;
}

void SweepControl::draw(Explorer& explorer) {
  ImGui::PushID("sweep");
  section_heading("Sweep", "");
  if (const Campaign* sweep = explorer.jobs().sweep()) {
    draw_progress(explorer, *sweep);
  } else {
    draw_start(explorer);
  }
  ImGui::PopID();
}

void SweepControl::draw_start(Explorer& explorer) {
  const SweptParameters swept = swept_of(explorer);
  if (swept.empty()) {
    text_wrapped(palette().muted, "Choose parameters to sweep: press \"vary\" beside them.");
    return;
  }
  const Jobs::SweepCount count = explorer.jobs().count_sweep(swept);
  const std::string all = format_count(static_cast<std::int64_t>(count.configurations));
  if (!count.valid) {
    text_muted("Counting the valid ones of " + all + " configurations ...");
  } else if (*count.valid == count.configurations) {
    text_muted(all + (count.configurations == 1 ? " configuration, valid" : " configurations, all valid"));
  } else {
    text_muted(format_count(static_cast<std::int64_t>(*count.valid)) + " valid of " + all +
               " configurations");
  }
  ImGui::BeginDisabled(count.valid == 0U);  // The sweep itself waits for the count.
  if (ImGui::Button("Start sweep", {-FLT_MIN, 0})) explorer.jobs().start_sweep(swept);
  landmark("button.sweep");
  ImGui::EndDisabled();
}

void SweepControl::draw_progress(Explorer& explorer, const Campaign& sweep) const {
  const std::string text = progress_text(sweep);
  ImGui::ProgressBar(static_cast<float>(sweep.fraction()), {-FLT_MIN, em() * 0.6F}, "");
  text_colored(palette().text, text);
  if (sweep.failed() > 0) {
    ImGui::SameLine();
    text_colored(palette().error, format_count(static_cast<std::int64_t>(sweep.failed())) + " failed");
  }
  if (ImGui::Button("Cancel sweep", {-FLT_MIN, 0})) explorer.jobs().cancel_sweep();
  landmark("button.cancel_sweep");
}

}  // namespace tilescope
