#pragma once

#include <cstdint>
#include <string>

#include "app/explorer/answer.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// A block of the configuration under the sliders.
struct RecordedSubject {
  AskedExperiment asked;
  /// Linear.
  std::uint64_t block = 0;

  bool operator==(const RecordedSubject&) const = default;
};

/// The recorded block of the configuration under the sliders, for the panels that draw it.
class BlockRecorder : public Answer<RecordBlock, RecordedBlock, RecordedSubject> {
 public:
  explicit BlockRecorder(Board& board);
  void want();

  /// Linear index of the block that is recorded; kept while the grid has it.
  std::uint64_t chosen_block() const { return chosen_; }
  void choose_block(std::uint64_t block) { chosen_ = block; }

 private:
  Question question(const RecordedSubject& subject);
  bool leaves_grid(const RecordingSummary& summary, std::uint64_t block);

  Board& board_;
  std::uint64_t chosen_ = 0;
};

}  // namespace tilescope
