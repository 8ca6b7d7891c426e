#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/simt/block_stepper.hpp"
#include "profiler/execution/step/block_events.hpp"
#include "profiler/execution/step/code_places.hpp"
#include "profiler/execution/step/tile_rows.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

namespace tilescope {

/// The launch that is stepped. All that it points to must outlive the block.
struct SteppedLaunch {
  const simt::Program& program;
  const simt::Launch& launch;
  simt::GlobalMemory& memory;
  /// Linear index.
  std::uint64_t block = 0;
  /// The kernel's own file, without its folder.
  std::string main_file;
  std::vector<PhaseDeclaration> phases;
  /// With offsets from the start of the block's shared memory, static arrays first.
  std::vector<TileRange> tiles;
  const reference::AttentionSizes& sizes;
  const reference::AttentionInputs& inputs;
};

/// One block that is stepped, and what panels show of it.
class SteppedBlock {
 public:
  /// Runs the block once. Throws what simt::BlockStepper throws.
  SteppedBlock(SteppedLaunch launch, simt::BlockStepper::Limits limits, std::function<bool()> cancelled);
  ~SteppedBlock();
  SteppedBlock(const SteppedBlock&) = delete;
  SteppedBlock& operator=(const SteppedBlock&) = delete;

  /// Goes to a place and describes it. If it is not found, the block stays at `target.from`, and the stop
  /// says so.
  StepStop go(const StepTarget& target, const StepView& view);
  StepTimeline timeline(const StepRange& range) const;
  /// See StepRow. The block stands where it stood.
  StepRowHistory row(std::int64_t row);

 private:
  struct Found {
    std::optional<std::uint64_t> slot;
    std::string why_not;
  };
  Found find(const StepTarget& target, const StepView& view);
  Found find_mark(const std::vector<StepMark>& marks, const StepTarget& target,
                  const std::string& name) const;
  Found find_breakpoint(const StepTarget& target);
  Found find_line(const StepTarget& target) const;
  Found find_other_line(const StepTarget& target, const StepView& view) const;
  std::optional<std::uint64_t> slot_at_lines(const StepTarget& target) const;
  Found find_warp(const StepTarget& target) const;
  Found find_matrix(const StepTarget& target) const;
  Found find_write(const StepTarget& target);
  const std::vector<std::uint64_t>& writes_to(std::uint64_t word);
  std::string end_words() const;

  void describe_launch(StepStop& stop) const;
  void describe_warps(StepStop& stop) const;
  void describe_barriers(StepStop& stop) const;
  void describe_mbarriers(StepStop& stop);
  void describe_registers(const StepView& view, StepStop& stop) const;
  void describe_operands(const StepView& view, StepStop& stop) const;
  void describe_tiles(const StepView& view, StepStop& stop) const;
  void describe_shared(StepStop& stop) const;
  void describe_progress(StepStop& stop) const;
  std::vector<std::uint64_t> mbarrier_offsets();
  const simt::NamedRegister* register_named(std::string_view name, std::uint32_t at) const;
  std::string cells_of(std::size_t warp, const StepRange& range, std::uint64_t rounds_per_cell) const;

  SteppedLaunch launch_;
  CodePlaces places_;
  simt::BlockStepper stepper_;
  BlockEvents events_;
  TileRows tile_rows_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> writes_;  // by word: the slots behind them
  std::optional<std::vector<std::uint64_t>> mbarrier_offsets_;
};

}  // namespace tilescope
