#include "app/explorer/asked_experiment.hpp"

#include <fmt/format.h>

#include "app/explorer/explorer.hpp"

namespace tilescope {

AskedExperiment under_sliders(const Explorer& explorer) {
  const Selection& selection = explorer.selection();
  const CurrentSources& sources = explorer.kernels().sources();
  const auto source = sources.find(selection.kernel().name);
  return {selection.complete(selection.experiment()), source == sources.end() ? "" : source->second};
}

MissingAnswer why_not_interpreted(const Explorer& explorer) {
  const Selection& selection = explorer.selection();
  const KernelDeclaration& kernel = selection.kernel();
  if (!explorer.jobs().has_worker()) {
    return {"Not traced", "This window was started without a worker, which traces kernels."};
  }
  if (kernel.is_launched_by_library()) {
    return {"No PTX to trace",
            fmt::format("{} is launched by {}: there is no PTX to interpret. Choose a kernel of the ladder.",
                        kernel.name, proper_name(kernel.library))};
  }
  const std::string invalid = selection.why_invalid();
  if (!invalid.empty()) return {"Invalid configuration", invalid};
  return {};
}

MissingAnswer why_failed(const std::string& what, Status status, const std::string& reason) {
  const bool can_retry = status == Status::worker_lost || status == Status::timed_out;
  return {fmt::format("{} ({})", what, to_string(status)), reason, can_retry};
}

}  // namespace tilescope
