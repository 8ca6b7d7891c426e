#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/tile_map.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Kind of a checker's finding.
enum class FindingKind : std::uint8_t {
  /// The later access reads what the earlier one wrote.
  write_read_race,
  /// The later access writes what the earlier one read.
  read_write_race,
  write_write_race,
  /// Like write_write_race, but both write the same value: the result does not depend on the order.
  same_value_store,
  uninitialised_read,
  early_cp_async_read,
  divergent_barrier,
  /// A fault of the interpreter; Finding::kind is the name of its FaultKind.
  fault,
};

/// One occurrence. Instructions are indices into Program::origins, threads linear in their block.
struct Occurrence {
  FindingKind kind = FindingKind::fault;
  /// The access that comes first in the program's order; no_index when there is only one.
  std::uint32_t earlier = simt::no_index;
  std::uint32_t later = simt::no_index;
  std::uint32_t earlier_thread = 0, later_thread = 0;
  /// [B] in shared memory, else an address
  std::uint64_t address = 0;
  /// [B] per lane of the later access
  std::uint32_t bytes = 0;
  /// For a race with a cp.async: its thread waited for it only behind the barrier that should make it visible.
  bool is_awaited_late = false;
};

/// The findings of one host thread: one entry for each kind and pair of source lines, with the first occurrence in the
/// lowest block and the number of warp accesses that took part.
class FindingLog {
 public:
  FindingLog(const simt::Program& program, std::string main_file);

  void begin_block(const simt::Block& block);
  /// Occurrences until the next call count as one for each entry.
  void begin_event() { ++event_; }
  void add(const Occurrence& occurrence);
  void add_fault(const simt::Fault& fault);
  /// Says of an uninitialised read that was added in this block that no thread wrote the bytes until the block's end.
  void add_unwritten(std::uint32_t reading_origin);

  struct Entry {
    Occurrence first;
    /// Linear index of the first occurrence's block.
    std::uint64_t block = 0;
    std::array<std::uint32_t, 3> block_index{};
    simt::FaultKind fault = simt::FaultKind::trap;
    /// The text of a fault.
    std::string text;
    std::uint64_t occurrences = 0;
    std::uint64_t last_event = 0;
    /// Any occurrence is between threads of two warps.
    bool crosses_warps = false;
    /// For an uninitialised read: any of the bytes was not written later either.
    bool stays_unwritten = false;
  };
  /// Kind, fault kind, and the places of the earlier and the later access with their calls, as their first origins.
  using Key = std::array<std::uint32_t, 4>;
  const std::map<Key, Entry>& entries() const { return entries_; }

 private:
  std::uint32_t place_of(std::uint32_t origin);
  void number_places();
  Entry& entry_of(const Key& key, bool& is_first);

  const simt::Program& program_;
  std::string main_file_;
  std::vector<std::uint32_t> places_;  // by origin: the first origin of its place, once that is needed
  std::map<Key, Entry> entries_;
  std::uint64_t event_ = 0;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 3> block_index_{};
};

/// The findings of all host threads, each with its sentence, by kind, then lines. Races that one barrier would end are one
/// finding, which counts the further pairs of lines. An uninitialised read in a line that races is left out where the
/// bytes were written later, since the race explains it, and two lines that race are not also reported as storing the
/// same value.
std::vector<Finding> fold_findings(const simt::Program& program, std::span<const FindingLog* const> logs,
                                   const TileMap& tiles, std::string_view main_file);
/// A fault that ended a block, as a finding.
Finding finding_of(const simt::Program& program, const simt::Fault& fault, std::string_view main_file);

}  // namespace tilescope
