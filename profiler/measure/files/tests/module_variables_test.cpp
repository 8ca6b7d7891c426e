#include "profiler/measure/files/module_variables.hpp"

#include <cstring>

#include "base/json.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope {
namespace {

using test_support::says;

constexpr const char* source = R"(
namespace filter { __constant__ float weights[3]; }
__device__ const float* table;
struct Vectors { const float* x; float* y; int n; float a; };
extern "C" __global__ void weigh(Vectors v) {
  int i = threadIdx.x;
  if (i < v.n) v.y[i] = v.a * v.x[i] * filter::weights[i % 3] + (table ? table[i] : 0);
})";

Json launch() {
  return Json::parse(R"({"block": [32], "arguments": [{"type": "struct", "members": [
    {"type": "buffer", "element": "f32", "values": [1, 2, 3, 4], "name": "x"},
    {"type": "buffer", "element": "f32", "count": 4, "fill": "nan", "name": "y"},
    {"type": "s32", "value": 4}, {"type": "f32", "value": 10}]}],
    "buffers": [{"name": "added", "element": "f32", "values": [0.5, 0.25, 0, 0]}]})");
}

Json with_variables() {
  Json all = launch();
  all["variables"] = Json::parse(R"({"weights": {"element": "f32", "values": [1, 2, 3]},
                                     "table": {"element": "b64", "values": [{"of": "added"}]}})");
  return all;
}

std::vector<float> values_of(const LaunchedPoint& run, const std::string& name) {
  for (const LaunchedBuffer& buffer : run.buffers) {
    if (buffer.name != name) continue;
    std::vector<float> values(buffer.contents.size() / sizeof(float));
    std::memcpy(values.data(), buffer.contents.data(), buffer.contents.size());
    return values;
  }
  return {};
}

/// One kernel, as PTX and as machine code.
class ModuleVariablesOf : public test_support::CubinRunTest, public ::testing::WithParamInterface<bool> {
 protected:
  LaunchedPoint run_form(const Json& launch) const {
    if (GetParam()) return run_cubin(compile(source, "sm_89"), launch);
    RunFile::Params params;
    params.subject = test_support::subject_of(ptx(), launch);
    return run(params);
  }
  static std::string ptx() {
    return Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
        .compile("test.cu", source, {}, {"--gpu-architecture=compute_89", "--std=c++17"})
        .ptx;
  }
  std::string problem(const Json& variables) const {
    Json all = launch();
    all["variables"] = variables;
    const LaunchedPoint point = run_form(all);
    EXPECT_EQ(point.problem, FileProblem::launch);
    return point.reason;
  }
};

TEST_P(ModuleVariablesOf, HaveTheValuesThatTheHostWouldSet) {
  const LaunchedPoint given = run_form(with_variables());
  ASSERT_EQ(given.status, Status::ok) << given.reason;
  EXPECT_EQ(values_of(given, "y"), (std::vector<float>{10.5F, 40.25F, 90, 40}));
  EXPECT_EQ(values_of(given, "added"), (std::vector<float>{0.5F, 0.25F, 0, 0}));
  EXPECT_TRUE(given.notes.empty()) << given.notes.front();
}

TEST_P(ModuleVariablesOf, WithoutValuesAreZeroAndSaidSo) {
  const LaunchedPoint bare = run_form(launch());
  ASSERT_EQ(bare.status, Status::ok) << bare.reason;
  EXPECT_EQ(values_of(bare, "y"), (std::vector<float>{0, 0, 0, 0}));
  ASSERT_EQ(bare.notes.size(), 1u);
  EXPECT_TRUE(says(bare.notes[0], "'filter::weights'")) << bare.notes[0];
  EXPECT_TRUE(says(bare.notes[0], "\"variables\"")) << bare.notes[0];
}

TEST_P(ModuleVariablesOf, WrongNamesAndSizesAreSaid) {
  EXPECT_TRUE(says(problem({{"weight", {{"element", "f32"}, {"values", {1, 2, 3, 4}}}}}),
                   "variables.weight: 16 B given; the variable has 12 B"));
  EXPECT_TRUE(says(problem({{"bias", {{"element", "f32"}, {"values", {1}}}}}), "has no variable \"bias\""));
}

constexpr const char* two_kernels = R"(
__constant__ double first[10];
__constant__ float taps[10];
__constant__ short last[10];
extern "C" __global__ void filter(const float* x, float* y, int n) {
  float sum = 0;
  for (int t = 0; t < n; ++t) sum += x[threadIdx.x + t] * taps[t];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void other(double* y) { y[threadIdx.x] = first[threadIdx.x % 10] + last[threadIdx.x % 5]; })";

class ConstantsOfTwoKernels : public test_support::CubinRunTest {};

TEST_F(ConstantsOfTwoKernels, OnlyTheOnesThatAreReadNeedValues) {
  const Json launch = Json::parse(R"({"block": [8], "arguments": [
    {"type": "buffer", "element": "f32", "count": 16, "fill": 1},
    {"type": "buffer", "element": "f32", "count": 8, "fill": 0}, {"type": "s32", "value": 3}]})");
  RunFile::Params params;
  params.subject.entry = "filter";
  const std::vector<char> cubin = compile(two_kernels, "sm_89");
  const LaunchedPoint bare = run_cubin(cubin, launch, params);
  ASSERT_EQ(bare.status, Status::ok) << bare.reason;
  ASSERT_EQ(bare.notes.size(), 1u);
  EXPECT_TRUE(says(bare.notes[0], "'taps'")) << bare.notes[0];
  EXPECT_FALSE(says(bare.notes[0], "'last'")) << bare.notes[0];
}

INSTANTIATE_TEST_SUITE_P(Forms, ModuleVariablesOf, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "MachineCode" : "Ptx"; });

}  // namespace
}  // namespace tilescope
