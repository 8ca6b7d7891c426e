#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/instruction_counts.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/explanation/model/atomic_counts.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/interleaved_l1.hpp"
#include "profiler/explanation/model/read_sectors.hpp"
#include "profiler/explanation/model/touched_memory.hpp"

/// Records, while the interpreter executes machine code, what a model of latency needs beyond the counts.
namespace tilescope::model {

/// Some blocks of a grid that is executed whole, evenly spread: their paths stand for the others'.
std::set<std::uint64_t> recorded_blocks(std::uint64_t blocks);

/// Collects from all host threads, of one run or of several ones of the same program.
class LaunchRecording {
 public:
  /// `wanted`: the blocks whose ways are recorded, by linear index. `memory`: given where the whole grid is executed, with
  /// all its buffers; it shows what the launch touches. The program and the memory must outlive the recording.
  LaunchRecording(const simt::Program& program, const LaunchPlan& plan, std::set<std::uint64_t> wanted,
                  const simt::GlobalMemory* memory = nullptr);
  /// For one host thread. The recording must outlive it.
  std::unique_ptr<simt::Observer> make_observer();
  /// The program with what its instructions did (`counts`, by Program::code) and the blocks by index. Whether loads are
  /// shared along an axis is known once the block at 0, 0, 0 and its neighbour along that axis ran. The plan has the bytes
  /// that were touched, where they are known. `main_file`: as TraceOptions::main_file, for the places of instructions. Call
  /// it once, after the runs.
  ExecutedLaunch take(const std::vector<InstructionCounts>& counts, std::string_view main_file);

 private:
  friend class LaunchObserver;
  // Accesses of an instruction to global or local memory, summed over the recorded blocks.
  struct Accesses {
    double executions = 0, lanes = 0;
    double sectors = 0, lines = 0, partial_sectors = 0;
    InterleavedL1::Accesses l1;
    double wavefronts = 0;
    double constants = 0;  // addresses
    // Where the allocation begins that was accessed last; 0 for none.
    std::uint64_t allocation = 0;

    void add(const Accesses& other);
  };
  ExecutedInstruction instruction(std::uint32_t at, const InstructionCounts& counts,
                                  std::string_view main_file) const;
  void add_length(std::uint64_t block, std::uint64_t instructions);
  void add_unlike(ExecutedBlock block, std::uint64_t instructions);
  bool is_work_taken() const;
  void add_accesses(std::uint32_t at, const InstructionCounts& counts, ExecutedInstruction& executed) const;
  bool is_shared_along(std::size_t axis, std::uint32_t at) const;

  const simt::Program& program_;
  const std::vector<std::uint32_t> load_waits_;  // last_load_waits()
  LaunchPlan plan_;
  const std::set<std::uint64_t> wanted_;
  /// The block at 0, 0, 0 and its neighbours along x, y and z; equal to the first where the grid has no such neighbour.
  std::array<std::uint64_t, 4> compared_blocks_{};
  AtomicCounts atomics_;
  std::optional<TouchedMemory> touched_;
  std::mutex mutex_;
  std::uint64_t executed_blocks_ = 0;
  std::vector<ExecutedBlock> blocks_;
  double local_bytes_ = 0;                 // of a block, the most
  std::vector<std::uint32_t> lengths_;     // by linear index; 0: not executed
  std::vector<ExecutedBlock> unlike_;      // blocks of other lengths than those that are recorded
  std::set<std::uint64_t> known_lengths_;  // of both
  std::vector<Accesses> accesses_;         // by Program::code
  std::array<ReadSectors, 4> compared_;
};

}  // namespace tilescope::model
