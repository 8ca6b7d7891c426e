#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "profiler/execution/step/stepped_block.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// The blocks that are being stepped, each with its program and memory.
class StepBlocks {
 public:
  /// Answer to a request about a block.
  struct Answered {
    Status status = Status::ok;
    std::string reason;
    std::string source_sha256;
  };
  /// Calls `use` with the block, which is compiled and recorded where it is not kept. An error is the
  /// answer's status and reason.
  Answered with_block(Workbench& bench, const SteppedBlockChoice& choice, const MeasureControl& control,
                      const std::function<void(SteppedBlock&)>& use);

 private:
  struct Kept;
  std::shared_ptr<Kept> find(const SteppedBlockChoice& choice);
  std::shared_ptr<Kept> record(Workbench& bench, const SteppedBlockChoice& choice, Prepared kernel,
                               const MeasureControl& control);

  std::list<std::shared_ptr<Kept>> latest_;  // newest first
};

}  // namespace tilescope
