#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/explorer/answer.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// A block of the configuration under the sliders, or of the opened file's kernel.
struct RecordedSubject {
  AskedExperiment asked;
  /// Linear.
  std::uint64_t block = 0;
  /// The point of the opened file; then `asked` is empty.
  std::shared_ptr<const OpenedFileView> of_file{};
  /// Whether the opened file is being executed: there is no point of it yet.
  bool waits_for_file = false;

  bool operator==(const RecordedSubject&) const = default;
};

/// The recorded block of the configuration under the sliders, or with the tag block_of_file of the opened file's kernel,
/// for the panels that draw it.
class BlockRecorder : public Answer<RecordBlock, RecordedBlock, RecordedSubject> {
 public:
  BlockRecorder(Board& board, const std::string& tag);
  void want();

  /// Linear index of the block that is recorded; kept while the grid has it.
  std::uint64_t chosen_block() const { return chosen_; }
  void choose_block(std::uint64_t block) { chosen_ = block; }

 private:
  void want_file();
  Question question(const RecordedSubject& subject);
  Question question(const RecordedSubject& subject, RecordBlock::Params params, KernelDeclaration kernel);
  bool leaves_grid(const RecordingSummary& summary, std::uint64_t block);

  Board& board_;
  bool is_of_file_;
  std::uint64_t chosen_ = 0;
};

}  // namespace tilescope
