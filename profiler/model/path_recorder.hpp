#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "profiler/memory/instruction_counts.hpp"
#include "profiler/model/executed_kernel.hpp"
#include "profiler/simt/observer.hpp"
#include "profiler/simt/program.hpp"

/// Records the way of warps through machine code while the interpreter executes it.
namespace tilescope::model {

/// Collects blocks from all host threads of a run.
class PathRecording {
 public:
  /// `wanted`: the blocks to record, by linear index.
  explicit PathRecording(std::set<std::uint64_t> wanted) : wanted_(std::move(wanted)) {}
  /// For one host thread. The recording must outlive it.
  std::unique_ptr<simt::Observer> make_observer();
  /// By index, in the order of the grid. Call it once, after the run.
  std::vector<ExecutedBlock> take();

 private:
  friend class PathRecorder;
  void add(ExecutedBlock block);

  const std::set<std::uint64_t> wanted_;
  std::mutex mutex_;
  std::vector<ExecutedBlock> blocks_;
};

/// A program of machine code with what its instructions did (by Program::code) and the blocks that were executed.
ExecutedKernel executed_kernel(const simt::Program& program, const std::vector<InstructionCounts>& counts,
                               std::vector<ExecutedBlock> blocks);

}  // namespace tilescope::model
