#include "app/panels/tune/sweep_control.hpp"

#include <imgui.h>

#include "app/explorer/tune/sweep_choice.hpp"
#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/views/tune/sweep_summary.hpp"

namespace tilescope {

namespace {

std::string count_of(std::size_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

float button_width(const char* label) {
  return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

/// A click on "Cancel" ends `sweep`.
void draw_progress(Explorer& explorer, const Campaign& sweep) {
  const std::string rate = sweep_rate_text(sweep.points_per_second());
  ImGui::ProgressBar(static_cast<float>(sweep.fraction()), {-FLT_MIN, em() * 0.6F}, "");
  landmark("sweep.progress");
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  text_colored(palette().text, sweep_progress_text(sweep.done(), sweep.total(), sweep.remaining_s()));
  if (sweep.failed() > 0) {
    help_tooltip(count_of(sweep.failed()) + " of the points so far are incorrect or could not be measured.");
    ImGui::SameLine();
    text_colored(palette().error, count_of(sweep.failed()) + " failed");
  }
  ImGui::SameLine(right - button_width("Cancel"));
  const bool is_cancelled = ImGui::Button("Cancel");
  landmark("button.cancel_sweep");
  text_muted(rate.empty() ? "Measuring the first point..." : rate);
  landmark("sweep.rate");
  if (is_cancelled) explorer.jobs().cancel_sweep();  // which ends the sweep: last
}

void draw_summary(Explorer& explorer, const SweepSummary& summary) {
  const float button = ImGui::GetFrameHeight();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(right - button - ImGui::GetStyle().ItemSpacing.x);
  const bool is_of_another = summary.kernel != explorer.selection().kernel().name;
  text_colored(palette().text, (is_of_another ? "Sweep of " + summary.kernel + ": " : "") + summary.counts);
  if (is_of_another) landmark("sweep.of_another_kernel");
  if (!summary.fastest.empty()) text_colored(palette().text, summary.fastest);
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
  landmark("sweep.summary");
  ImGui::SameLine(right - button);
  const bool dismissed = ImGui::Button("x", {button, button});
  landmark("sweep.dismiss");
  help_tooltip("Dismisses this summary.");
  const SharedMeasurement fastest = summary.fastest_point;
  if (fastest) {
    const bool pressed = ImGui::Button("Go to this configuration", {-FLT_MIN, 0});
    landmark("sweep.best");
    if (pressed) explorer.shown().show(fastest);
  }
  if (dismissed) explorer.jobs().dismiss_sweep_summary();
}

/// Inputs that a sweep lacks, in a sentence; "" for none.
std::string what_is_missing(const Explorer& explorer) {
  const std::string parameter =
      explorer.board().get<SweepChoice>().without_value(explorer.selection().kernel());
  return parameter.empty() ? "Choose parameters to sweep" : "Choose a value of " + parameter + " to sweep";
}

void draw_start(Explorer& explorer) {
  const SweptParameters swept = explorer.board().get<SweepChoice>().swept_of(explorer.selection().kernel());
  if (swept.empty()) {
    text_wrapped(palette().muted, what_is_missing(explorer));
    landmark("sweep.missing");
    return;
  }
  const Jobs::SweepCount count = explorer.jobs().count_sweep(swept);
  if (!count.problem.empty()) {
    text_wrapped(palette().error, "The sweep is too large: " + count.problem);
    landmark("sweep.too_large");
    return;
  }
  const std::string all = count_of(count.configurations);
  if (!count.valid) {
    text_muted("Counting the valid ones of " + all + " configurations...");
  } else if (*count.valid < count.configurations) {
    text_muted(count_of(*count.valid) + " of " + all + " configurations are valid");
  }
  const std::string label = count.valid ? "Start sweep: " + format_points(*count.valid) : "Start sweep";
  ImGui::BeginDisabled(count.valid == 0U);  // The sweep itself waits for the count.
  if (ImGui::Button((label + "###start").c_str(), {-FLT_MIN, 0})) explorer.jobs().start_sweep(swept);
  landmark("button.sweep");
  ImGui::EndDisabled();
}

}  // namespace

void draw_sweep_control(Explorer& explorer) {
  ImGui::PushID("sweep");
  if (const Campaign* sweep = explorer.jobs().sweep()) {
    draw_progress(explorer, *sweep);
  } else {
    if (const SweepSummary* summary = explorer.jobs().sweep_summary()) draw_summary(explorer, *summary);
    draw_start(explorer);
  }
  ImGui::PopID();
}

}  // namespace tilescope
