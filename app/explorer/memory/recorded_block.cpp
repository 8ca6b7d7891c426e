#include "app/explorer/memory/recorded_block.hpp"

#include <memory>
#include <string>
#include <utility>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/views/memory/arriving_block.hpp"

namespace tilescope {
namespace {

Outcome<RecordedBlock> complete(ArrivingBlock& arriving, const RecordingSummary& summary) {
  try {
    return {arriving.complete(summary), {}};
  } catch (const std::exception& error) {
    return {nullptr, {"The traced block cannot be read", error.what()}};
  }
}

}  // namespace

BlockRecorder::BlockRecorder(Board& board)
    : Answer(board, "block trace",
             {"Tracing one block...", "The kernel is compiled and interpreted; no GPU is needed."}),
      board_(board) {}

void BlockRecorder::want() {
  want_answer({under_sliders(board_), chosen_}, [this](const RecordedSubject& subject) -> Asked {
    if (MissingAnswer why_not = why_not_interpreted(board_); !why_not.heading.empty()) return why_not;
    return question(subject);
  });
}

BlockRecorder::Question BlockRecorder::question(const RecordedSubject& subject) {
  Question question;
  question.params = every_access(subject.asked.experiment, subject.block);
  // As declared now: the sliders may be elsewhere once the block is there.
  const auto arriving = std::make_shared<ArrivingBlock>(question.params, board_.parts.selection.kernel(),
                                                        board_.parts.selection.device());
  question.part = [arriving](const Json& piece) {
    arriving->append(piece);
    return NewestRequests::Continuation();
  };
  question.is_void = [this, block = subject.block](const RecordingSummary& summary) {
    return summary.status != Status::ok && block != 0 && leaves_grid(summary, block);
  };
  question.derive = [arriving](const RecordingSummary& summary) -> Outcome<RecordedBlock> {
    if (summary.status == Status::ok) return complete(*arriving, summary);
    return {nullptr, why_failed("The block was not traced", summary.status, summary.reason)};
  };
  return question;
}

/// A smaller grid does not have the block any more: its first one is traced.
bool BlockRecorder::leaves_grid(const RecordingSummary& summary, std::uint64_t block) {
  const std::uint64_t blocks = summary.grid[0] * summary.grid[1] * summary.grid[2];
  if (summary.status != Status::launch_failed && block < blocks) return false;
  chosen_ = 0;
  return true;
}

}  // namespace tilescope
