#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/execution/simt/block_stepper.hpp"
#include "profiler/execution/step/code_places.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {

/// Events of a stepped block, by slot: kept while it is recorded, searched by every move.
class BlockEvents : public simt::Observer {
 public:
  /// `stepper` says at which slot an event happens. All must outlive it.
  BlockEvents(const CodePlaces& places, const simt::BlockStepper& stepper);
  /// To be called once the block is recorded.
  void complete();

  /// Releases of block barriers: `slot` is that behind the last arrival, `number` counts from 1.
  const std::vector<StepMark>& barriers() const { return barriers_; }
  /// Beginnings of tiles of keys: from probes, else iterations of the main loop, whose keys are not known.
  const std::vector<StepMark>& tiles() const { return tiles_; }
  bool has_probes() const { return has_probes_; }
  /// The slots at which a warp issued an instruction, ascending.
  const std::vector<std::uint32_t>& slots_of(std::size_t warp) const { return slots_of_[warp]; }
  /// [B] that lanes asked of and wrote to global memory before a slot.
  struct Traffic {
    std::uint64_t slot = 0, read = 0, written = 0;
  };
  Traffic traffic_before(std::uint64_t slot) const;
  /// Whether anything was written to a word of shared memory before a slot.
  bool is_written_before(std::size_t word, std::uint64_t slot) const { return first_written_[word] <= slot; }
  /// The first address of a read of the allocation "Q"; none where the block never reads it. [B] from its start
  std::optional<std::uint64_t> first_query_byte() const { return first_query_byte_; }

  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override;
  void probe(const simt::Warp& warp, const simt::Probe& probe) override;

 private:
  void note_writes(const simt::MemoryAccess& access);
  void find_loop();

  const CodePlaces& places_;
  const simt::BlockStepper& stepper_;
  std::vector<StepMark> barriers_, tiles_;
  std::vector<std::size_t> tiles_of_warp_;
  std::vector<std::vector<std::uint32_t>> slots_of_;
  std::vector<Traffic> traffic_;
  std::vector<std::uint64_t> first_written_;  // by word of shared memory, the slot behind the write
  std::optional<std::uint64_t> first_query_byte_;
  bool has_probes_ = false;
};

}  // namespace tilescope
