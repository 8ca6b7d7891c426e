#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "profiler/execution/step/stepped_block.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {

/// The blocks that are being stepped, of kernels and of files, each with its program and memory.
class StepBlocks {
 public:
  /// Answer to a request about a block.
  struct Answered {
    Status status = Status::ok;
    std::string reason;
    std::string source_sha256;
    FileProblem problem = FileProblem::none;
  };
  /// Calls `use` with the block, which is compiled and recorded where it is not kept. An error is the
  /// answer's status and reason.
  Answered with_block(Workbench& bench, const SteppedBlockChoice& choice, const MeasureControl& control,
                      const std::function<void(SteppedBlock&)>& use);

 private:
  struct Kept;
  /// False where the block is not kept.
  bool bring_to_front(const SteppedBlockChoice& choice);
  void keep(Kept kept);
  /// Each makes the block the first of those kept. Returns why it cannot be stepped, and throws what failure_of() takes.
  std::optional<Failure> record_kernel(Workbench& bench, SteppedBlockChoice choice,
                                       const MeasureControl& control);
  std::optional<Failure> record_file(Workbench& bench, const SteppedBlockChoice& choice,
                                     const MeasureControl& control);

  std::list<std::shared_ptr<Kept>> latest_;  // newest first
};

}  // namespace tilescope
