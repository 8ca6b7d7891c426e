// The microbenchmarks execute the work that they declare and that the calibration's plan divides by. The interpreter
// counts it as the difference of two run lengths, as the calibration does with the GPU's clocks.

#include <set>

#include "kernels/micro/tests/micro_kernel_test.hpp"

namespace tilescope {
namespace {

class MicroWork : public MicroKernelTest {
 protected:
  static std::int64_t parameter(const Configuration& complete, const std::string& name) {
    return std::get<std::int64_t>(complete.at(name));
  }

  // The measured instructions of one run, in warps.
  static std::int64_t measured_instructions(const std::string& kernel, const MemoryCounts& counts) {
    if (kernel == "block_barrier") return counts.barriers;
    if (kernel == "ffma" || kernel == "hfma2") return counts.instructions.at("fma");
    if (kernel == "mufu") return counts.instructions.at("mufu");
    if (kernel == "mma_sync") return counts.instructions.at("tensor");
    if (kernel == "shared_load") return executions(counts, "ld.shared");
    if (kernel == "global_latency") return executions(counts, "ld.global");
    if (kernel == "cp_async") return executions(counts, "cp.async");
    return executions(counts, kernel);  // ldmatrix
  }

  // The work that the plan must count for `warp_instructions`, by the unit of its figure.
  static double work_of(const MicroRun& run, const Configuration& complete, double warp_instructions) {
    const std::string& unit = run.figures.front().unit;
    if (unit == "1/clk/SM") return 32 * warp_instructions;
    if (unit == "FLOP/clk/SM") return 2.0 * 16 * 8 * 16 * warp_instructions;
    if (unit == "B/clk/SM")
      return 32 * static_cast<double>(parameter(complete, "WIDTH_BYTES")) * warp_instructions;
    // A barrier is one instruction of every warp.
    return run.kernel == "block_barrier"
               ? warp_instructions / static_cast<double>(parameter(complete, "NUM_WARPS"))
               : warp_instructions;
  }

  // A ring or zeros of 256 KiB.
  std::uint64_t allocate(simt::GlobalMemory& memory, std::uint32_t bytes) const {
    const std::uint64_t address = memory.allocate("memory", bytes);
    const simt::Program ring = ptx::build_program(ptx::parse(chase_ring().ptx), "chase_ring");
    simt::Launch launch;
    launch.grid.x = 3;
    launch.block.x = 96;
    add(launch, address);
    add(launch, bytes / line_bytes);
    EXPECT_FALSE(trace(ring, launch, memory, {}).run.fault);
    return address;
  }
  CompiledKernel chase_ring() const {
    return compile_file(catalogue().find("global_latency").source_path.parent_path() / "chase_ring.cu",
                        "chase_ring", "sm_89");
  }

  static constexpr std::uint32_t line_bytes = 128;
  static constexpr std::uint32_t memory_bytes = 1 << 18;
};

TEST_F(MicroWork, ThePlanDividesByWhatIsExecuted) {
  std::set<std::string> run_kernels;
  for (const MicroRun& run : calibration_plan()) {
    run_kernels.insert(run.kernel);
    if (run.timing == MicroTiming::events) continue;
    const KernelDeclaration kernel = catalogue().find(run.kernel);
    const Configuration complete = kernel.complete(run.parameters);
    SCOPED_TRACE(run.figures.front().name + ": " + to_string(complete));
    const auto executed = [&](int repeats) {
      simt::GlobalMemory memory;
      const std::uint64_t address = run.memory == MicroMemory::none ? 0 : allocate(memory, memory_bytes);
      return measured_instructions(
          run.kernel, counted(kernel, complete, repeats, memory, address, memory_bytes, run.dtype));
    };
    const double one_repeat = static_cast<double>(executed(3) - executed(1)) / 2;
    EXPECT_EQ(work_of(run, complete, one_repeat), run.work);
  }
  EXPECT_EQ(run_kernels.size(), micro_kernels().size()) << "each microbenchmark is part of the plan";
}

TEST_F(MicroWork, SharedLoadsConflictAsTheyDeclare) {
  const KernelDeclaration kernel = catalogue().find("shared_load");
  for (const Configuration& chosen : legal_configurations(kernel, {})) {
    SCOPED_TRACE(to_string(chosen));
    simt::GlobalMemory memory;
    const MemoryCounts counts = counted(kernel, chosen, 2, memory, 0, 0);
    const std::int64_t ways = parameter(chosen, "WAYS"), passes = parameter(chosen, "WIDTH_BYTES") / 4;
    std::int64_t loads = 0;
    for (const MemorySite& site : counts.sites) {
      if (site.operation != "ld.shared") continue;
      loads += site.executions;
      EXPECT_EQ(site.width_bytes, parameter(chosen, "WIDTH_BYTES"));
      EXPECT_EQ(site.worst_degree, ways);
      EXPECT_EQ(site.wavefronts, site.executions * ways * passes);
      EXPECT_EQ(site.minimum, site.executions * passes);
    }
    EXPECT_EQ(loads,
              2 * parameter(chosen, "NUM_WARPS") * parameter(chosen, "CHAINS") * parameter(chosen, "UNROLL"));
  }
}

TEST_F(MicroWork, LdmatrixHasNoConflicts) {
  const KernelDeclaration kernel = catalogue().find("ldmatrix");
  for (const Configuration& chosen : legal_configurations(kernel, {})) {
    SCOPED_TRACE(to_string(chosen));
    simt::GlobalMemory memory;
    const MemoryCounts counts = counted(kernel, chosen, 2, memory, 0, 0);
    std::int64_t loads = 0;
    for (const MemorySite& site : counts.sites) {
      if (site.operation != "ldmatrix") continue;
      loads += site.executions;
      EXPECT_EQ(site.wavefronts, site.executions * parameter(chosen, "MATRICES"));
      EXPECT_EQ(site.conflicts, 0);
    }
    EXPECT_EQ(loads,
              2 * parameter(chosen, "NUM_WARPS") * parameter(chosen, "CHAINS") * parameter(chosen, "UNROLL"));
  }
}

TEST_F(MicroWork, TheRingVisitsEveryLineOnceAndReturns) {
  simt::GlobalMemory memory;
  const std::uint64_t start = allocate(memory, memory_bytes);
  const std::byte* data = memory.find(start, memory_bytes)->data;
  std::set<std::uint64_t> visited;
  std::uint64_t place = start;
  std::int64_t neighbours = 0;
  while (visited.insert(place).second) {
    std::uint64_t next = 0;
    ASSERT_GE(place, start);
    ASSERT_LT(place, start + memory_bytes);
    std::memcpy(&next, data + (place - start), sizeof next);
    neighbours += next == place + line_bytes || place == next + line_bytes ? 1 : 0;
    place = next;
  }
  EXPECT_EQ(place, start);
  EXPECT_EQ(visited.size(), memory_bytes / line_bytes);
  EXPECT_LE(neighbours, 20) << "of 2048 steps";
}

// A chase of the ring's whole length and one more step stays inside the ring.
TEST_F(MicroWork, TheChaseStaysInTheRing) {
  const KernelDeclaration kernel = catalogue().find("global_latency");
  simt::GlobalMemory memory;
  const std::uint64_t address = allocate(memory, memory_bytes);
  const int repeats = 2 * memory_bytes / line_bytes / 16;
  const MemoryCounts counts = counted(kernel, {{"LOAD", "cg"}}, repeats, memory, address, memory_bytes);
  EXPECT_EQ(executions(counts, "ld.global"), 2 * memory_bytes / line_bytes);
}

TEST_F(MicroWork, StreamsMoveEveryByteOnceAPass) {
  const KernelDeclaration kernel = catalogue().find("global_bandwidth");
  for (const MicroRun& run : calibration_plan()) {
    if (run.timing != MicroTiming::events) continue;
    SCOPED_TRACE(run.figures.front().name);
    const Configuration complete = kernel.complete(run.parameters);
    const std::int64_t blocks = launch_geometry(kernel, complete, {}, l4()).grid_x;
    const auto bytes = static_cast<std::uint64_t>(2 * blocks * run.bytes_at_once);
    simt::GlobalMemory memory;
    const std::uint64_t address = memory.allocate("memory", bytes);
    const MemoryCounts counts = counted(kernel, complete, 3, memory, address, bytes);
    std::int64_t read = 0, written = 0;
    for (const MemorySite& site : counts.sites) {
      if (site.operation == "ld.global") read += site.lanes * site.width_bytes;
      if (site.operation == "st.global" && site.width_bytes == 16 && site.tile == "memory") {
        written += site.lanes * site.width_bytes;
      }
    }
    const bool copies = to_string(complete.at("OPERATION")) == "copy";
    const auto moved = static_cast<std::int64_t>(3 * bytes);
    EXPECT_EQ(read, copies ? moved / 2 : moved);
    EXPECT_EQ(written, copies ? moved / 2 : 0);
  }
}

}  // namespace
}  // namespace tilescope
