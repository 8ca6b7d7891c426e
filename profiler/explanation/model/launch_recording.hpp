#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "profiler/execution/memory/instruction_counts.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/load_reuse.hpp"

/// Records, while the interpreter executes machine code, what a model of latency needs beyond the counts.
namespace tilescope::model {

/// Some blocks of a grid that is executed whole, evenly spread: their paths stand for the others'.
std::set<std::uint64_t> recorded_blocks(std::uint64_t blocks);

/// Collects from all host threads, of one run or of several ones of the same program.
class LaunchRecording {
 public:
  /// `wanted`: the blocks whose ways are recorded, by linear index. The program must outlive the recording.
  LaunchRecording(const simt::Program& program, const LaunchPlan& plan, std::set<std::uint64_t> wanted);
  /// For one host thread. The recording must outlive it.
  std::unique_ptr<simt::Observer> make_observer();
  /// The program with what its instructions did (`counts`, by Program::code) and the blocks by index. Whether loads are
  /// shared along an axis is known once the block at 0, 0, 0 and its neighbour along that axis ran. Call it once, after
  /// the runs.
  ExecutedKernel take(const std::vector<InstructionCounts>& counts);

 private:
  friend class LaunchObserver;
  // Sectors of a load, summed over the recorded blocks.
  struct Sectors {
    double all = 0, missed = 0, wavefronts = 0;
    // Executions, and those of which L1 lacked a sector.
    double executions = 0, missing = 0;
    // Where the allocation begins that was accessed last; 0 for none.
    std::uint64_t allocation = 0;
  };
  ExecutedInstruction instruction(std::uint32_t at, const InstructionCounts& counts) const;
  bool is_shared_along(std::size_t axis, std::uint32_t at) const;

  const simt::Program& program_;
  const LaunchPlan plan_;
  const std::set<std::uint64_t> wanted_;
  /// The block at 0, 0, 0 and its neighbours along x, y and z; equal to the first where the grid has no such neighbour.
  std::array<std::uint64_t, 4> compared_blocks_{};
  std::mutex mutex_;
  std::vector<ExecutedBlock> blocks_;
  std::vector<Sectors> sectors_;  // by Program::code
  std::array<ReadSectors, 4> compared_;
};

}  // namespace tilescope::model
