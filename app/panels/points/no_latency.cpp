#include "app/panels/points/no_latency.hpp"

#include <imgui.h>

#include <utility>

#include "app/explorer/points/recorded_examples.hpp"
#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {

namespace {

namespace fs = std::filesystem;

std::string why_nothing_is_timed(const Explorer& explorer) {
  const DeviceModel& device = explorer.selection().device();
  if (device.present) return device.name + " times a point when a slider moves or a sweep runs.";
  const std::string absent = device.name + " is not installed, so nothing is timed.";
  const SharedMeasurement current = explorer.jobs().current_point();
  const std::string reason = current ? why_not_predicted(*current) : "";
  if (!reason.empty()) return absent + " Nothing is predicted either. " + reason;
  return absent + " A latency is predicted for each point that is counted.";
}

}  // namespace

void NoLatency::draw(Explorer& explorer, const LatencyView& view, bool& all_settings) {
  const Jobs& jobs = explorer.jobs();
  if (jobs.measuring() && explorer.selection().device().present) {
    empty_state(measuring_heading(jobs.partial_point().get()),
                "The latency follows once the result is checked.");
    return;
  }
  const std::string reason = why_nothing_is_timed(explorer);
  if (view.of_this_shape > 0 && !all_settings) {
    const std::string text = explorer.selection().kernel().name + " has " +
                             format_points(view.of_this_shape) +
                             " of this shape with a latency or a prediction, at other slider values.";
    if (empty_state("No latency at these settings", text, "Show all settings")) all_settings = true;
    return;
  }
  if (view.of_other_shapes > 0 && view.other_shape) {
    const std::string shape = to_string(*view.other_shape);
    const std::string text = reason + " " + format_points(view.of_other_shapes) +
                             " with a latency or a prediction are open, for other shapes, most for " + shape +
                             ".";
    if (empty_state("No latency for this shape", text, "Go to " + shape)) {
      Experiment experiment = explorer.selection().experiment();
      experiment.shape = *view.other_shape;
      explorer.selection().set_experiment(std::move(experiment));
    }
    return;
  }
  if (!examples_) examples_ = list_json_files(explorer.installation().examples);
  if (explorer.selection().device().present || examples_->empty()) {
    empty_state("No latency yet", reason);
    return;
  }
  const fs::path& example = example_for(*examples_, explorer.selection().kernel());
  if (empty_state("No latency yet", reason + " A recorded session shows what another GPU measured.",
                  "Open " + example.stem().string())) {
    explorer.points().begin_opening_recorded(example);
  }
}

void draw_timed_elsewhere(Explorer& explorer, const LatencyView& view) {
  if (!view.elsewhere) return;
  const std::string& device = view.elsewhere->device;
  text_wrapped(palette().muted, timed_elsewhere_words(*view.elsewhere));
  landmark("latency.elsewhere");
  const bool is_chosen = device == explorer.selection().device().name;
  if (is_chosen || explorer.selection().find_device(device) == nullptr) return;
  const std::string label = "Choose " + device;
  same_line_if_fits(label);
  const bool is_pressed = ImGui::SmallButton(label.c_str());
  landmark("latency.choose_device");
  help_tooltip("Points are then compiled, checked and predicted for " + device + ".");
  if (!is_pressed) return;
  Experiment experiment = explorer.selection().experiment();
  experiment.device = device;
  explorer.selection().set_experiment(std::move(experiment));
}

}  // namespace tilescope
