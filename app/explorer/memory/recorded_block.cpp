#include "app/explorer/memory/recorded_block.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/views/memory/arriving_block.hpp"
#include "profiler/views/memory/block_text.hpp"

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

BlockRecorder::BlockRecorder(Board& board, const std::string& tag)
    : Answer(board, tag.empty() ? "block trace" : tag,
             {"Tracing one block...", "The kernel is compiled and interpreted; no GPU is needed."}),
      board_(board),
      is_of_file_(!tag.empty()) {
  // Before this one, which asks it.
  if (is_of_file_) board.get<OpenedFile>();
}

void BlockRecorder::choose_block(std::uint64_t block) {
  chosen_ = block;
  beyond_.reset();
}

void BlockRecorder::choose_block_of(std::uint64_t entered, const RecordedBlock& recorded) {
  const std::uint64_t blocks = recorded.blocks();
  choose_block(std::min(entered, blocks - 1));
  if (entered >= blocks) beyond_.emplace(entered, blocks);
}

std::string BlockRecorder::beyond(const RecordedBlock& recorded) const {
  if (!beyond_ || beyond_->second != recorded.blocks()) return "";
  return beyond_words("grid", "block", beyond_->first, beyond_->second);
}

void BlockRecorder::want() {
  if (is_of_file_) return want_file();
  want_answer({under_sliders(board_), chosen_}, [this](const RecordedSubject& subject) -> Asked {
    if (MissingAnswer why_not = why_not_interpreted(board_); !why_not.heading.empty()) return why_not;
    return question(subject);
  });
}

void BlockRecorder::want_file() {
  OpenedFile& opened = board_.get<OpenedFile>();
  opened.want();
  // The block before stays until there is a newer point.
  if (opened.waits() && shown()) return;
  const auto point = opened.waits() ? nullptr : opened.shown();
  want_answer({{}, chosen_, point, opened.waits()}, [&](const RecordedSubject& subject) -> Asked {
    if (subject.waits_for_file)
      return MissingAnswer{"Executing the kernel...", "Then one of its blocks is traced."};
    std::optional<ChosenFile> file = opened.recorded_file();
    if (!subject.of_file) return MissingAnswer{"No kernel file", "Open one in the panel Kernel file."};
    if (!file)
      return MissingAnswer{"The kernel did not run",
                           "The panel Kernel file says why: " + subject.of_file->status + "."};
    RecordBlock::Params params = every_access({}, subject.block);
    params.file = std::move(file);
    return question(subject, std::move(params), {});
  });
}

BlockRecorder::Question BlockRecorder::question(const RecordedSubject& subject) {
  // As declared now: the sliders may be elsewhere once the block is there.
  return question(subject, every_access(subject.asked.experiment, subject.block),
                  board_.parts.selection.kernel());
}

BlockRecorder::Question BlockRecorder::question(const RecordedSubject& subject, RecordBlock::Params params,
                                                KernelDeclaration kernel) {
  const auto arriving =
      std::make_shared<ArrivingBlock>(params, std::move(kernel), board_.parts.selection.device());
  Question question;
  question.params = std::move(params);
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
