#include "app/panels/no_latency.hpp"

#include <algorithm>
#include <system_error>

#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> find_examples(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The recorded session to offer: that of the kernel, else that of its kind. `files` must not be empty.
const fs::path& example_for(const std::vector<fs::path>& files, const KernelDeclaration& kernel) {
  const std::string of_kind = kernel.role == KernelRole::exhibit ? "exhibits" : "ladder";
  for (const std::string& start : {kernel.name, of_kind}) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const fs::path& file) {
      return file.filename().string().starts_with(start + "_");
    });
    if (found != files.end()) return *found;
  }
  return files.front();
}

std::string why_nothing_is_timed(const Explorer& explorer, const LatencyView& view) {
  const DeviceModel& device = explorer.selection().device();
  if (device.present) {
    return "The " + device.name + " in this machine times a point when a slider moves or a sweep runs.";
  }
  std::string text = "The " + device.name +
                     " is not in this machine: points are compiled for it, checked and counted by the "
                     "interpreter; nothing is "
                     "timed.";
  if (view.without_latency == 1) text += " One point here has no latency.";
  if (view.without_latency > 1) text += " " + format_points(view.without_latency) + " here have no latency.";
  return text;
}

}  // namespace

void NoLatency::draw(Explorer& explorer, const LatencyView& view) {
  const std::string reason = why_nothing_is_timed(explorer, view);
  if (view.of_other_shapes > 0 && view.other_shape) {
    const std::string shape = to_string(*view.other_shape);
    const std::string text = reason + " " + format_points(view.of_other_shapes) +
                             " with a latency are open, for other shapes, most for " + shape + ".";
    if (empty_state("No latency for this shape", text, "Go to " + shape)) {
      Experiment experiment = explorer.selection().experiment();
      experiment.shape = *view.other_shape;
      explorer.selection().set_experiment(std::move(experiment));
    }
    return;
  }
  if (!explorer.points().recorded().empty() && !explorer.selection().device().present) {
    empty_state(
        "No latency for this configuration",
        reason +
            " The recorded sessions that are open have none of this slice: tick \"all configurations\", or "
            "set the other sliders to values that were recorded.");
    return;
  }
  if (!examples_) examples_ = find_examples(explorer.installation().examples);
  if (explorer.selection().device().present || examples_->empty()) {
    empty_state("No latency yet",
                explorer.selection().device().present
                    ? reason
                    : reason + " Open a recorded session to see latencies that a GPU measured.");
    return;
  }
  const fs::path& example = example_for(*examples_, explorer.selection().kernel());
  if (empty_state(
          "No latency on this machine",
          reason + " Open a recorded session (File, Examples) to see latencies that a GPU measured, drawn as "
                   "recorded.",
          "Open " + example.stem().string())) {
    explorer.points().begin_opening_recorded(example);
  }
}

}  // namespace tilescope
