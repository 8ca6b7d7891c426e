#include "profiler/measure/open/file_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "profiler/execution/simt/block_runner.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/interpret/interpreted_block.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/open/chosen_program.hpp"
#include "profiler/measure/open/source_tiles.hpp"
#include "profiler/measure/prepare/failure.hpp"

namespace tilescope {
namespace {

class FileBlock {
 public:
  FileBlock(Workbench& bench, const ChosenFile& file, const AccessSelection& selection,
            const MeasureControl& control)
      : bench_(bench),
        file_(file),
        selection_(selection),
        control_(control),
        limit_(file.subject.time_limit_s, control) {}

  RecordingSummary run() {
    const std::optional<Failure> failure = failure_of([&] { record(); });
    if (failure) end(failure->status, failure->reason);
    return std::move(summary_);
  }

 private:
  void record() {
    ChosenKernel kernel = chosen_kernel(bench_, file_, CodeForm::nearest, control_);
    if (!kernel.program.program) return end(kernel.program.status, kernel.program.reason);
    const std::string entry = kernel.program.entry;
    FileLaunch launch(std::move(kernel.program), file_.subject);
    const std::uint64_t blocks = launch.launch().grid.count();
    if (selection_.block >= blocks)
      return end(Status::launch_failed,
                 fmt::format("there is no block {}: the grid has {}", selection_.block, blocks));
    run_earlier_kernels(bench_, file_, CodeForm::nearest, limit_, control_, launch);
    control_.report({"interpret", 0.6});
    RecordingOptions options = recording_options(selection_, control_);
    options.cancelled = [this] { return limit_.is_over(); };
    try {
      with_launch_errors([&] {
        launch.place_shared_arrays(options.cancelled);
        summary_ = send_block(launch, options, control_);
      });
      summary_.source_tiles = source_tiles(kernel.opened, entry, file_.chosen, launch.program());
    } catch (const simt::RunCancelled&) {
      const Failure over = limit_.failure();
      end(over.status, over.reason);
    }
  }

  void end(Status status, std::string reason) {
    summary_ = {};
    summary_.status = status;
    summary_.reason = std::move(reason);
  }

  Workbench& bench_;
  const ChosenFile& file_;
  const AccessSelection& selection_;
  const MeasureControl& control_;
  const RunLimit limit_;
  RecordingSummary summary_;
};

}  // namespace

RecordingSummary record_file_block(Workbench& bench, const ChosenFile& file, const AccessSelection& selection,
                                   const MeasureControl& control) {
  return FileBlock(bench, file, selection, control).run();
}

}  // namespace tilescope
