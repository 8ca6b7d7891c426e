#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "profiler/service/client/client.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

namespace tilescope {

/// A block that a worker steps. An error is the answer's status and reason.
class StepSource {
 public:
  /// `client` must outlive it.
  StepSource(Client& client, SteppedBlockChoice block, std::chrono::milliseconds time_limit)
      : client_(client), block_(std::move(block)), time_limit_(time_limit) {}
  StepStop go(const StepTarget& target, const StepView& view);
  StepTimeline timeline();
  StepRowHistory row(std::int64_t row);

 private:
  template <class Request>
  typename Request::Answer ask_about(typename Request::Params params) const;

  Client& client_;
  SteppedBlockChoice block_;
  std::chrono::milliseconds time_limit_;
};

}  // namespace tilescope
