// Cubins as a user gives them: executed as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/json.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope {
namespace {

using test_support::CubinRunTest;
using test_support::says;

// A column of a row-major tile: 32 words of one bank.
const std::string column_source = R"(struct Shift { int by; int unused[2]; };
extern "C" __global__ void columns(const float* in, float* out, float factor, Shift shift, short bias) {
  __shared__ float tile[32 * 32];
  for (int row = 0; row < 32; ++row) tile[row * 32 + threadIdx.x] = in[row * 32 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int column = 0; column < 32; ++column) sum += tile[threadIdx.x * 32 + (column ^ (threadIdx.x & 1))];
  out[(threadIdx.x + shift.by) % 32] = factor * sum + bias;
}
extern "C" __global__ void race(int* out) {
  __shared__ int word;
  if (threadIdx.x % 32 == 0) word = threadIdx.x;
  out[threadIdx.x] = word;
}
extern "C" __global__ void outside(int* out) { out[threadIdx.x] = 1; }
)";

const Json columns_launch = Json::parse(R"({"block": [32], "arguments": [
  {"type": "buffer", "element": "f32", "count": 1024, "fill": 0.5},
  {"type": "buffer", "element": "f32", "count": 32, "name": "out"},
  {"type": "f32", "value": 2}, {"type": "bytes", "values": [3,0,0,0, 0,0,0,0, 0,0,0,0]}, {"type": "s16", "value": -2}]})");

Json one_buffer(std::uint32_t threads, std::uint32_t words) {
  return {{"block", {threads}}, {"arguments", {{{"type", "buffer"}, {"element", "s32"}, {"count", words}}}}};
}

RunFile::Params entry(const std::string& name) {
  RunFile::Params params;
  params.subject.entry = name;
  return params;
}
RunFile::Params columns_on(const std::string& device) {
  RunFile::Params params = entry("columns");
  params.device = device;
  return params;
}
RunFile::Params columns_with_code() {
  RunFile::Params params = entry("columns");
  params.machine_code = true;
  return params;
}

std::string device_of(const std::string& architecture) {
  return architecture == "sm_80" ? "A100" : architecture == "sm_89" ? "L4" : "H200";
}

std::string why_no_prediction(const LaunchedPoint& run) {
  for (const std::string& note : run.notes) {
    if (note.starts_with("No prediction: ")) return note;
  }
  return "";
}

class RunCubin : public CubinRunTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RunCubin, BuffersGoInAndComeOut) {
  const LaunchedPoint run = run_cubin(compile(column_source, GetParam()), columns_launch, entry("columns"));
  ASSERT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.entry, "columns");
  EXPECT_EQ(run.target, GetParam());
  EXPECT_EQ(run.blocks_run, 1);
  ASSERT_EQ(run.buffers.size(), 2u);
  EXPECT_EQ(run.buffers[1].name, "out");
  std::vector<float> out(32);
  ASSERT_EQ(run.buffers[1].contents.size(), out.size() * sizeof(float));
  std::memcpy(out.data(), run.buffers[1].contents.data(), run.buffers[1].contents.size());
  for (const float value : out) EXPECT_EQ(value, 30) << "2 * 16 - 2";
}

// Three rounds of two phases; the last thread drops out after the first round.
const std::string mbarrier_source = R"(
__device__ void meet(unsigned bar, bool drops) {
  unsigned long long state;
  if (drops) asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
  else asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
  unsigned done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "l"(state) : "memory");
}
extern "C" __global__ void rounds(int* out) {
  __shared__ unsigned long long barrier;
  __shared__ int words[64];
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
  const int i = threadIdx.x;
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(bar));
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    words[i] = 100 * round + i;
    meet(bar, false);
    sum += words[63 - i];
    meet(bar, i == 63);
    if (i == 63) break;
  }
  out[i] = sum;
}
)";

TEST_P(RunCubin, AnMbarrierOrdersItsThreads) {
  const LaunchedPoint run =
      run_cubin(compile(mbarrier_source, GetParam()), one_buffer(64, 64), entry("rounds"));
  if (std::string(GetParam()).starts_with("sm_90")) {
    EXPECT_EQ(run.status, Status::unsupported) << "SYNCS is not executed";
    return;
  }
  ASSERT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_TRUE(run.findings.empty()) << run.findings.front().text;
  ASSERT_EQ(run.buffers.size(), 1U);
  std::vector<std::int32_t> out(64);
  ASSERT_EQ(run.buffers[0].contents.size(), out.size() * sizeof(std::int32_t));
  std::memcpy(out.data(), run.buffers[0].contents.data(), run.buffers[0].contents.size());
  EXPECT_EQ(out[0], 3 * 63) << "the word of the thread that is gone";
  EXPECT_EQ(out[63], 0) << "the first round alone";
  for (int i = 1; i < 63; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 300 + 3 * (63 - i)) << i;
}

TEST_P(RunCubin, CountsTheMachineCode) {
  const LaunchedPoint run = run_cubin(compile(column_source, GetParam()), columns_launch, entry("columns"));
  ASSERT_TRUE(run.memory) << run.reason;
  const MemoryCounts& memory = *run.memory;
  EXPECT_EQ(memory.counted_from, CountedFrom::machine_code);
  EXPECT_EQ(memory.blocks_run, 1);
  EXPECT_EQ(memory.warp_instructions, run.warp_instructions);
  EXPECT_EQ(memory.global_sectors, 33 * 4);
  EXPECT_GT(memory.shared_conflicts, 0);
  ASSERT_FALSE(memory.sites.empty());
  EXPECT_EQ(memory.sites.front().operation, "ld.shared");
  EXPECT_TRUE(memory.sites.front().address);
  EXPECT_EQ(memory.sites.front().line, 0) << "compiled without -lineinfo";
}

TEST_P(RunCubin, MachineCodeHasTheCountsOfThePoint) {
  const LaunchedPoint run =
      run_cubin(compile(column_source, GetParam()), columns_launch, columns_with_code());
  ASSERT_TRUE(run.machine_code) << run.reason;
  const CountedCode& code = *run.machine_code;
  std::int64_t executions = 0, wavefronts = 0;
  for (const CountedInstruction& one : code.instructions) {
    executions += one.executions;
    wavefronts += one.shared_wavefronts.value_or(0);
  }
  EXPECT_EQ(executions, run.warp_instructions);
  EXPECT_EQ(wavefronts, run.memory->shared_wavefronts);
  EXPECT_EQ(code.warps, 1);
  EXPECT_EQ(code.sms, 0) << "the launch has no GPU";
  EXPECT_TRUE(code.limits.empty());
  EXPECT_GT(code.warp_cycles, 0);
  const Json document = run;
  EXPECT_TRUE(document["machine_code"]["issue"]["sms"].is_null());
  CountedCode read;
  from_json(document["machine_code"], read);
  EXPECT_EQ(read, code);
}

TEST_P(RunCubin, ParametersHaveSizesAlone) {
  const std::vector<char> cubin = compile(column_source, GetParam());
  Json launch = columns_launch;
  launch["arguments"][2] = {{"type", "b32"}, {"value", "0x40000000"}};
  EXPECT_EQ(run_cubin(cubin, launch, entry("columns")).status, Status::ok);
  launch["arguments"][4] = {{"type", "s32"}, {"value", 1}};
  EXPECT_EQ(run_cubin(cubin, launch, entry("columns")).problem, FileProblem::launch);
  launch["arguments"].erase(4);
  EXPECT_EQ(run_cubin(cubin, launch, entry("columns")).problem, FileProblem::launch);
}

TEST_P(RunCubin, FaultsAndFindings) {
  const std::vector<char> cubin = compile(column_source, GetParam());
  RunFile::Params checked = entry("race");
  checked.check = true;
  const LaunchedPoint race = run_cubin(cubin, one_buffer(64, 64), checked);
  EXPECT_EQ(race.status, Status::ok) << race.reason;
  ASSERT_FALSE(race.findings.empty());
  EXPECT_EQ(race.findings.front().kind, "race");
  const LaunchedPoint outside = run_cubin(cubin, one_buffer(64, 63), entry("outside"));
  EXPECT_EQ(outside.status, Status::launch_failed);
  EXPECT_PRED2(says, outside.reason, "0 bytes behind the end of 'argument 0'");
  EXPECT_FALSE(outside.memory);
}

TEST_P(RunCubin, ChoosesTheKernel) {
  const auto why = [&](const std::string& name) {
    const LaunchedPoint run = run_cubin(compile(column_source, GetParam()), Json::object(), entry(name));
    EXPECT_EQ(run.problem, FileProblem::entry);
    return run.reason;
  };
  EXPECT_PRED2(says, why(""), "the cubin has several kernels; choose one with --entry: ");
  EXPECT_PRED2(says, why("scale"), "the cubin has no kernel 'scale'; it has ");
  EXPECT_PRED2(says, why("scale"), "outside");
}

TEST_P(RunCubin, HasAPredictionForADeviceThatExecutesIt) {
  const LaunchedPoint run =
      run_cubin(compile(column_source, GetParam()), columns_launch, columns_on(device_of(GetParam())));
  ASSERT_EQ(run.status, Status::ok) << run.reason;
  ASSERT_TRUE(run.prediction);
  const Prediction& prediction = *run.prediction;
  double sum = 0;
  for (const PredictionPart& part : prediction.parts) sum += part.microseconds;
  EXPECT_NEAR(sum, prediction.p50_us, 1e-9 * sum);
  EXPECT_LT(prediction.low_us, prediction.p50_us);
  EXPECT_GT(prediction.high_us, prediction.p50_us);
  ASSERT_TRUE(prediction.roofline_us);
  EXPECT_LT(*prediction.roofline_us, prediction.p50_us);
  EXPECT_NE(prediction.roofline_of, "DRAM") << "L2 keeps 4 KB for the next launch";
  EXPECT_NE(prediction.band, "");
  EXPECT_EQ(Json(run)["prediction"]["p50_us"], prediction.p50_us);
  EXPECT_EQ(run.machine_code, std::nullopt) << "not asked for";
}

INSTANTIATE_TEST_SUITE_P(Architectures, RunCubin, ::testing::Values("sm_80", "sm_89", "sm_90a"),
                         [](const auto& architecture) { return std::string(architecture.param); });

TEST_F(CubinRunTest, WithoutAPredictionANoteSaysWhy) {
  const auto why_for = [&](const char* architecture, const char* device) {
    const LaunchedPoint run =
        run_cubin(compile(column_source, architecture), columns_launch, columns_on(device));
    EXPECT_EQ(run.status, Status::ok) << run.reason;
    EXPECT_EQ(run.prediction.has_value(), why_no_prediction(run).empty()) << architecture << " on " << device;
    return why_no_prediction(run);
  };
  EXPECT_TRUE(says(why_for("sm_90a", "L4"), "is for sm_90a, and L4 (sm_89) does not execute that"));
  EXPECT_TRUE(says(why_for("sm_80", "H200"), "is for sm_80"));
  EXPECT_TRUE(says(why_for("sm_89", "A100"), "is for sm_89"));
  EXPECT_EQ(why_for("sm_80", "L4"), "") << "a GPU executes code of a lower minor number";
  EXPECT_EQ(why_for("sm_90", "H200"), "");

  Json large = columns_launch;
  large["dynamic_shared_bytes"] = 150'000u;
  const LaunchedPoint run = run_cubin(compile(column_source, "sm_80"), large, columns_on("L4"));
  EXPECT_TRUE(says(why_no_prediction(run), "a block does not fit on an SM of L4")) << run.reason;
  EXPECT_FALSE(run.prediction);
}

TEST_F(CubinRunTest, LinesAreThoseOfTheLineTable) {
  const LaunchedPoint run =
      run_cubin(compile(column_source, "sm_89", {"-lineinfo"}), columns_launch, columns_with_code());
  ASSERT_TRUE(run.memory) << run.reason;
  EXPECT_EQ(run.memory->sites.front().line, 7);
  EXPECT_EQ(run.memory->sites.front().file, "test.cu");
  EXPECT_TRUE(std::ranges::any_of(run.machine_code->instructions,
                                  [](const CountedInstruction& one) { return one.line == 7; }));
}

TEST_F(CubinRunTest, DisassembliesAreKept) {
  installation.cache = folder();
  const std::vector<char> cubin = compile(column_source, "sm_89");
  run_cubin(cubin, columns_launch, entry("columns"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder() / "disassemblies"))
    ++files;
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace tilescope
