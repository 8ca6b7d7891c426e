#include "app/panels/sweep_control.hpp"

#include <imgui.h>

#include <algorithm>
#include <chrono>

#include "app/panels/kernel_points.hpp"
#include "app/shell/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// [ms] spent on judging configurations in one frame: little while something is dragged, so that the sliders do not
/// stick, else as much as it takes, for an idle window draws no further frame in which to go on.
std::chrono::milliseconds judging_budget() {
  return std::chrono::milliseconds(ImGui::IsAnyMouseDown() ? 3 : 1000);
}

std::string progress_text(const SweepTask& task) {
  std::string text = format_count(static_cast<std::int64_t>(task.done())) + " of " +
                     format_count(static_cast<std::int64_t>(task.total()));
  if (const auto remaining = task.remaining_s()) text += ", " + format_duration(*remaining) + " left";
  return text;
}

}  // namespace

void SweepControl::toggle(const std::string& parameter) {
  if (varied_.erase(parameter) == 0) varied_.insert(parameter);
}

SweepControl::Vary SweepControl::vary_of(const Explorer& explorer) const {
  Vary vary;
  for (const ParameterDeclaration& parameter : explorer.kernel().parameters) {
    if (is_varied(parameter.name)) vary.emplace_back(parameter.name, parameter.values);
  }
  return vary;
}

void SweepControl::count(const Explorer& explorer, const Vary& vary) {
  const Configuration complete = explorer.kernel().complete(explorer.experiment().parameters);
  Key key{explorer.kernel().name, explorer.device().name, explorer.experiment().shape, complete, {}};
  for (const auto& [name, values] : vary) {
    key.fixed.erase(name);
    key.varied.push_back(name);
  }
  if (!(key == key_)) {
    key_ = std::move(key);
    grid_ = expand_grid(explorer.kernel(), complete, vary);
    judged_ = 0;
    legal_ = 0;
  }
  const auto until = std::chrono::steady_clock::now() + judging_budget();
  while (judged_ < grid_.size() && std::chrono::steady_clock::now() < until) {
    if (why_invalid_here(explorer, grid_[judged_]).empty()) ++legal_;
    ++judged_;
  }
}

void SweepControl::draw(Explorer& explorer) {
  ImGui::PushID("sweep");
  section_heading("Sweep", "");
  if (const SweepTask* task = explorer.sweep(); task != nullptr && !task->finished()) {
    draw_progress(explorer, *task);
  } else {
    draw_start(explorer);
  }
  ImGui::PopID();
}

void SweepControl::draw_start(Explorer& explorer) {
  if (const SweepTask* task = explorer.sweep(); task != nullptr && !task->gave_up().empty()) {
    text_wrapped(palette().error, task->gave_up());
  }
  const Vary vary = vary_of(explorer);
  if (vary.empty()) {
    text_wrapped(palette().muted, "Press \"vary\" beside the parameters that the sweep should go through.");
    return;
  }
  count(explorer, vary);
  const auto all = static_cast<std::int64_t>(grid_.size());
  const auto legal = static_cast<std::int64_t>(legal_);
  if (judged_ < grid_.size()) {
    text_muted("Counting legal configurations of " + format_count(all) + " ...");
  } else if (legal == all) {
    text_muted(format_count(all) + (all == 1 ? " configuration, legal" : " configurations, all legal"));
  } else {
    text_muted(format_count(legal) + " legal of " + format_count(all) + " configurations");
  }
  ImGui::BeginDisabled(legal_ ==
                       0);  // The sweep itself leaves illegal ones out: it need not wait for the count.
  if (ImGui::Button("Start sweep", {-FLT_MIN, 0})) explorer.start_sweep(vary);
  landmark("button.sweep");
  ImGui::EndDisabled();
}

void SweepControl::draw_progress(Explorer& explorer, const SweepTask& task) const {
  const std::string text = progress_text(task);
  ImGui::ProgressBar(static_cast<float>(task.fraction()), {-FLT_MIN, em() * 0.6F}, "");
  text_colored(palette().text, text);
  if (task.failed() > 0) {
    ImGui::SameLine();
    text_colored(palette().error, format_count(static_cast<std::int64_t>(task.failed())) + " failed");
  }
  ImGui::BeginDisabled(task.cancelled());
  if (ImGui::Button(task.cancelled() ? "Cancelling ..." : "Cancel sweep", {-FLT_MIN, 0}))
    explorer.cancel_sweep();
  landmark("button.cancel_sweep");
  ImGui::EndDisabled();
}

}  // namespace tilescope
