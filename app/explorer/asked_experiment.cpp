#include "app/explorer/asked_experiment.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/selection.hpp"

namespace tilescope {

AskedExperiment under_sliders(const Board& board) {
  const Selection& selection = board.parts.selection;
  return as_asked(board, selection.complete(selection.experiment()));
}

AskedExperiment as_asked(const Board& board, Experiment experiment) {
  const CurrentSources& sources = board.parts.kernels.sources();
  const auto source = sources.find(experiment.kernel);
  return {std::move(experiment), source == sources.end() ? "" : source->second};
}

MissingAnswer why_not_interpreted(const Board& board) {
  const Selection& selection = board.parts.selection;
  const KernelDeclaration& kernel = selection.kernel();
  if (!board.parts.jobs.has_worker()) {
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
