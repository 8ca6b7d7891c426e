#include "app/explorer/memory/kernel_counts.hpp"

#include <memory>
#include <utility>

#include "app/explorer/memory/recorded_block.hpp"

namespace tilescope {
namespace {

// An incorrect kernel's counts are as real as a correct kernel's.
Outcome<CountedPoint> counts_of(CountedPoint answer) {
  if (!answer.memory)
    return {nullptr, why_failed("The kernel was not counted", answer.status, answer.reason)};
  return {std::make_shared<const CountedPoint>(std::move(answer)), {}};
}

}  // namespace

KernelCounts::KernelCounts(Board& board)
    : Answer(board, "kernel counts",
             {"Counting...", "The kernel is compiled and interpreted; no GPU is needed."}),
      board_(board),
      block_(board.get<BlockRecorder>()) {}

void KernelCounts::want() {
  const auto make = [this](const AskedExperiment& asked) -> Asked {
    if (MissingAnswer why_not = why_not_interpreted(board_); !why_not.heading.empty()) return why_not;
    CountOptions options;
    options.instruction_times = true;
    return Question{{asked.experiment, options, false, true}, counts_of};
  };
  // The point and the recorded block come first: the user waits for them.
  want_answer(under_sliders(board_), make, !board_.parts.jobs.measuring() && !block_.waits());
}

}  // namespace tilescope
