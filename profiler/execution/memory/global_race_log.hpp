#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/tile_map.hpp"
#include "profiler/execution/simt/block.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {

enum class GlobalRaceKind : std::uint8_t {
  /// Both threads load the word and store what they make of it.
  lost_update,
  write_read,
  read_write,
  write_write,
  /// Writes of the same value, or a flag that is read before it is set: the order does not matter.
  same_value,
};

/// Two accesses to a word of global memory that nothing orders.
struct GlobalRace {
  GlobalRaceKind kind = GlobalRaceKind::write_write;
  /// Into Program::origins.
  std::uint32_t earlier = simt::no_index, later = simt::no_index;
  std::uint32_t earlier_block = 0, later_block = 0;
  std::uint32_t earlier_thread = 0, later_thread = 0;
  std::uint64_t address = 0;
  /// One of the two is an atomic.
  bool has_atomic = false;
  /// How many blocks write the word; 0: not counted.
  std::uint32_t writing_blocks = 0;
};

/// The races of one host thread, by kind and instructions: the first in the lowest block, and how many warp accesses
/// took part.
class GlobalRaceLog {
 public:
  struct Entry {
    GlobalRace first;
    std::uint64_t occurrences = 0;
    std::uint64_t last_event = 0;
  };
  using Key = std::array<std::uint32_t, 3>;

  void add(const GlobalRace& race, std::uint64_t event);
  const std::map<Key, Entry>& entries() const { return entries_; }

 private:
  std::map<Key, Entry> entries_;
};

/// The findings of all logs, each with its sentence: one for each kind and pair of lines. Lines that race are not also
/// reported as storing the same value.
std::vector<Finding> fold_global_races(const simt::Program& program, const simt::Launch& launch,
                                       std::span<const GlobalRaceLog* const> logs, const TileMap& tiles,
                                       std::string_view main_file);

}  // namespace tilescope
