#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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
  void choose_block(std::uint64_t block);
  /// The last block where the grid has fewer: beyond() says so until another one is chosen or the grid changes.
  void choose_block_of(std::uint64_t entered, const RecordedBlock& recorded);
  std::string beyond(const RecordedBlock& recorded) const;

 private:
  void want_file();
  Question question(const RecordedSubject& subject);
  Question question(const RecordedSubject& subject, RecordBlock::Params params, KernelDeclaration kernel);
  bool leaves_grid(const RecordingSummary& summary, std::uint64_t block);

  Board& board_;
  bool is_of_file_;
  std::uint64_t chosen_ = 0;
  /// Number that was entered, and the blocks of the grid that it was entered for; none where it has that block.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> beyond_;
};

}  // namespace tilescope
