// The PTX and the machine code of one compilation, run on the same inputs: every rung and exhibit of the catalogue, for
// each architecture. A difference is a bug of one of the two interpreters, unless ptxas really changed something.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <set>

#include "kernels/reference/number_formats.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/caches/program_cache.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"

namespace tilescope {
namespace {

struct Case {
  std::string kernel;
  Configuration parameters;
  Shape shape;
  /// Name in the device's table.
  std::string device;
};

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.kernel << ' ' << to_string(one.parameters) << ' ' << to_string(one.shape) << ' '
          << one.device;
}

const Shape plain{1, 2, 2, 64, 64, 64, DataType::fp16, false};
// Sizes that no tile divides, with a query head for each half of a key head.
const Shape ragged{1, 2, 1, 50, 70, 64, DataType::bf16, true};

const std::filesystem::path root = TILESCOPE_SOURCE_DIR;

// Every rung for each architecture, and every exhibit with its fault and without.
std::vector<Case> cases() {
  std::vector<Case> all;
  const Catalogue catalogue(root / "kernels");
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.role == KernelRole::rung) {
      for (const char* device : {"A100", "A10", "L4", "H200"})
        all.push_back({kernel.name, {}, plain, device});
      for (const char* device : {"L4", "H200"}) all.push_back({kernel.name, {}, ragged, device});
    }
    if (kernel.role != KernelRole::exhibit) continue;
    Shape shape = plain;
    if (kernel.name == "static_shared") shape.D = 32;
    for (const char* fault : {"off", "on"}) all.push_back({kernel.name, {{"FAULT", fault}}, shape, "L4"});
    all.push_back({kernel.name, {{"FAULT", "on"}}, shape, "H200"});
  }
  const std::vector<std::pair<std::string, Configuration>> configurations = {
      {"flash_scalar", {{"VEC_WIDTH", 1}, {"SMEM_LAYOUT", "row_major"}}},
      {"flash_scalar", {{"REDUCE", "shared"}, {"SYNC_POLICY", "heavy"}}},
      {"mma_flash", {{"STAGES", 3}, {"OVERLAP", 1}, {"BLOCK_N", 32}}},
      {"mma_flash", {{"STAGES", 1}, {"SMEM_LAYOUT", "padded"}, {"LAZY_RESCALE", 0}}},
      {"mma_flash", {{"PERSISTENT", 1}, {"BLOCK_M", 32}, {"NUM_WARPS", 2}}},
      {"mma_splitkv", {{"SPLITS", 4}}}};
  for (const auto& [kernel, parameters] : configurations) {
    for (const char* device : {"L4", "H200"}) all.push_back({kernel, parameters, plain, device});
  }
  return all;
}

DeviceModel device_named(const std::string& name) {
  for (DeviceModel& device : load_device_tables(root / "assets/devices")) {
    if (device.name.find(name) != std::string::npos) return device;
  }
  throw std::runtime_error("no table of the " + name);
}

// Compared results of a run.
struct Outcome {
  Traced traced;
  std::vector<std::uint16_t> output;
};

Outcome run(const std::shared_ptr<const simt::Program>& program, const Prepared& plan,
            const ProblemInputs& problem) {
  ProblemLaunch launch(program, plan, problem);
  TraceOptions options;
  options.check = true;
  options.output = launch.output_tensor();
  options.tiles = named_tiles(*program, plan);
  options.main_file = main_file(plan);
  Outcome outcome{launch.run(options), {}};
  outcome.output = launch.output();
  return outcome;
}

// "race 120 133"
std::set<std::string> faults(const std::vector<Finding>& findings) {
  std::set<std::string> all;
  for (const Finding& finding : findings) {
    std::string one = finding.kind;
    for (const std::int64_t line : finding.lines) one += " " + std::to_string(line);
    all.insert(one);
  }
  return all;
}

// [B] 0 where none moved.
double bytes(const MemoryCounts& counts, const char* what) {
  const auto found = counts.bytes.find(what);
  return found == counts.bytes.end() ? 0 : static_cast<double>(found->second);
}

class MachineCodeAgreement : public testing::TestWithParam<Case> {};

TEST_P(MachineCodeAgreement, WithThePtxItWasMadeFrom) {
  const Case& one = GetParam();
  Installation installation = find_installation();
  installation.kernels = root / "kernels";
  const KernelDeclaration kernel = Catalogue(installation.kernels).find(one.kernel);
  const DeviceModel device = device_named(one.device);
  const Configuration complete = kernel.complete(one.parameters);
  ASSERT_EQ(why_invalid(kernel, complete, one.shape, device), "");
  const Compiler compiler(
      Nvrtc::open({.toolkit = "", .dependencies = installation.dependencies, .driver_cuda = {}}),
      {installation.kernels, installation.cache, installation.dependencies});
  const CompiledKernel compiled = compiler.compile(kernel, complete, one.shape, device.arch);
  Prepared plan{{}, kernel, device, complete, compiled, launch_geometry(kernel, complete, one.shape, device),
                {}, {},     {}};
  plan.experiment.shape = one.shape;
  ReferenceCache references;
  const auto problem = references.inputs(attention_sizes(one.shape, kernel.result), 1);
  DisassemblyCache disassemblies({"", installation.dependencies, ""}, installation.cache / "disassembly");
  ProgramCache programs(disassemblies);

  const Outcome ptx = run(programs.ptx(compiled, kernel.entry), plan, *problem);
  const Outcome machine = run(programs.machine_code(compiled, kernel.entry), plan, *problem);

  // In `naive` ptxas reads four scores at once, also behind the last key, and uses one: no finding.
  EXPECT_EQ(faults(machine.traced.findings), faults(ptx.traced.findings));
  EXPECT_EQ(machine.traced.run.fault.has_value(), ptx.traced.run.fault.has_value());
  EXPECT_EQ(machine.output, ptx.output);
  const MemoryCounts& got = machine.traced.memory;
  const MemoryCounts& want = ptx.traced.memory;
  EXPECT_EQ(got.barriers, want.barriers);
  EXPECT_EQ(got.global_sectors, want.global_sectors);
  for (const char* moved : {"global_write", "shared_write"}) EXPECT_EQ(bytes(got, moved), bytes(want, moved));
  // ptxas drops loads of what it knows, and joins loads with others behind them that are not always needed.
  EXPECT_LE(bytes(got, "global_read"), bytes(want, "global_read"));
  EXPECT_NEAR(bytes(got, "shared_read"), bytes(want, "shared_read"), 0.01 * bytes(want, "shared_read"));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MachineCodeAgreement, testing::ValuesIn(cases()));

}  // namespace
}  // namespace tilescope
