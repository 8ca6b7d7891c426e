#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/views/memory/bank_grid.hpp"

/// Traffic of a recorded block's accesses to the words of its shared memory.
namespace tilescope {

/// How often the lanes of the block read and wrote each word of 4 B; an atomic does both.
struct WordCounts {
  std::vector<std::uint32_t> reads, writes;
  std::uint32_t most_reads = 0, most_writes = 0;
};
/// `words` [of 4 B] of the shared memory; what lies behind them is left out.
WordCounts count_words(const BlockRecording& recording, std::int64_t words);

/// 0 for a word that is never accessed, else 1 to heat_levels, by the logarithm of the count.
inline constexpr int heat_levels = 12;
int heat_level(std::uint32_t count, std::uint32_t most);

/// Boxes as BankGrid::boxes makes them, whose look is BankGrid::outside, BankGrid::unused or the heat level of the most
/// accessed word in the cell. `counts` are the grid's, by word.
std::vector<BankGridBox> heat_boxes(const BankGrid& grid, const std::vector<std::uint32_t>& counts,
                                    std::uint32_t most, std::int64_t first_row, std::int64_t end_row,
                                    std::int64_t rows_per_line);

/// A word that lanes of one access touch.
struct TouchedWord {
  std::int64_t word = 0;
  simt::LaneMask lanes = 0;
  /// The words of its bank in its pass, which take a wavefront each: 1 is free of conflicts.
  std::uint32_t degree = 1;
  /// Its number among them, from 1.
  std::uint32_t turn = 1;

  bool collides() const { return degree > 1; }
  bool operator==(const TouchedWord&) const = default;
};
/// By word; none for an access to global memory.
std::vector<TouchedWord> touched_words(const BlockRecording& recording, const RecordedAccess& access);

/// "0-3,8"
std::string short_lanes(simt::LaneMask lanes);
/// For a tooltip: the lanes that touch the word, and how often the block read and wrote it; `counts` may be null.
std::vector<TextPair> traffic_details(std::int64_t word, const std::vector<TouchedWord>& touched,
                                      const WordCounts* counts);
/// "Marked: ld.shared of K, line 148, warp 0: 32 wavefronts, minimum 4"; "" for an access to global memory.
std::string marked_words(const BlockRecording& recording, const RecordedAccess& access);

}  // namespace tilescope
