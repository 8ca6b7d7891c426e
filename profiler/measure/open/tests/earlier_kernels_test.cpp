// Kernels that are launched before an opened one, on shared buffers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "profiler/measure/open/tests/opened_files.hpp"
#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {
namespace {

using test_support::says;

// A softmax in three kernels, each with names of its own for the buffers that they share.
constexpr const char* softmax = R"(
__global__ void row_max(const float* x, float* m, int rows, int cols) {
  float best = -1e30f;
  for (int c = 0; c < cols; ++c) best = fmaxf(best, x[threadIdx.x * cols + c]);
  m[threadIdx.x] = best;
}
__global__ void row_sum(const float* in, float* biggest, float* total, int cols) {
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += expf(in[threadIdx.x * cols + c] - biggest[threadIdx.x]);
  total[threadIdx.x] = sum;
}
__global__ void normalise(const float* a, const float* b, const float* c, float* y, int n) {
  y[blockIdx.x * blockDim.x + threadIdx.x] =
      expf(a[blockIdx.x * blockDim.x + threadIdx.x] - b[blockIdx.x]) / c[blockIdx.x];
}
__global__ void repeat(const int* times, float* y) {
  __shared__ volatile float sums[32];
  sums[threadIdx.x] = 0;
  for (int i = 0; i < *times; ++i) sums[threadIdx.x] += 1;
  y[threadIdx.x] = sums[threadIdx.x];
}
__global__ void set_times(int* t) { *t = 3; }
__global__ void trapped(float* m) { m[0] = 1; __trap(); }
int main() {
  int rows = 24, cols = 40, *d_t;
  float *d_x, *d_m, *d_s, *d_y;
  cudaMalloc(&d_x, rows * cols * sizeof(float));
  cudaMalloc(&d_m, rows * sizeof(float));
  cudaMalloc(&d_s, rows * sizeof(float));
  cudaMalloc(&d_y, rows * cols * sizeof(float));
  cudaMalloc(&d_t, sizeof(int));
  row_max<<<1, rows>>>(d_x, d_m, rows, cols);
  row_sum<<<1, rows>>>(d_x, d_m, d_s, cols);
  normalise<<<rows, cols>>>(d_x, d_m, d_s, d_y, rows);
  set_times<<<1, 1>>>(d_t);
  repeat<<<1, 32>>>(d_t, d_y);
  trapped<<<1, 1>>>(d_m);
}
)";

class EarlierKernels : public test_support::OpenedFiles {
 protected:
  OpenedPoint opened(const std::string& entry, std::map<std::string, std::string> chosen) {
    OpenFile::Params params;
    params.subject.entry = entry;
    params.chosen = std::move(chosen);
    return open_text(softmax, params);
  }
};

const std::map<std::string, std::string> both = {{"before 1 kernel", "row_max"},
                                                 {"before 2 kernel", "row_sum"},
                                                 {"y: expected", "y[24][40] = softmax(a[24][40])"}};

TEST_F(EarlierKernels, LeaveWhatTheLaunchBeginsWith) {
  const OpenedPoint point = opened("normalise", both);
  EXPECT_EQ(point.status, Status::ok) << point.reason << fmt::format("{}", fmt::join(point.notes, "\n"));
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
  EXPECT_EQ(guessed(point, "before 1 x"), "a") << "the host passes d_x to both";
  EXPECT_EQ(guessed(point, "before 2 biggest"), "b");
  EXPECT_EQ(guessed(point, "before 2 total"), "c");
  EXPECT_EQ(guessed(point, "before 1 grid"), "[1, 1, 1]");
  const auto fill = std::ranges::find(point.guesses, "b: fill", &LaunchGuess::what);
  ASSERT_NE(fill, point.guesses.end());
  EXPECT_EQ(fill->reason, "before row_max writes it");
  EXPECT_TRUE(std::ranges::any_of(point.notes, [](const std::string& note) {
    return says(note,
                "Launched before it, on the same buffers: row_max(float const*, float*, int, int); row_sum(");
  })) << fmt::format("{}", fmt::join(point.notes, "\n"));
}

TEST_F(EarlierKernels, AreNeededForTheResult) {
  const OpenedPoint point = opened("normalise", {{"y: expected", both.at("y: expected")}});
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_GT(point.compared[0].wrong, 900u);
}

TEST_F(EarlierKernels, AreOfferedWhereTheHostCodeLaunchesThem) {
  const OpenedPoint point = opened("normalise", {});
  EXPECT_EQ(guessed(point, "before 1 kernel"), "row_max(float const*, float*, int, int)");
  EXPECT_EQ(guessed(point, "before 2 kernel"), "row_sum(float const*, float*, float*, int)");
  EXPECT_EQ(guessed(opened("row_max", {}), "before 1 kernel"), "") << "nothing writes its input";
}

TEST_F(EarlierKernels, OfALaunchDocumentAreLaunchedAgain) {
  OpenFile::Params params;
  params.subject.entry = "normalise";
  params.subject.launch = SentFile{"/k.launch.json", opened("normalise", both).launch};
  const OpenedPoint point = open_text(softmax, params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
}

TEST_F(EarlierKernels, CanBeAddedToALaunchDocument) {
  OpenFile::Params params;
  params.subject.entry = "normalise";
  params.subject.launch =
      SentFile{"/k.launch.json", opened("normalise", {{"y: expected", both.at("y: expected")}}).launch};
  params.chosen = {{"before 1 kernel", "row_max"}, {"before 2 kernel", "row_sum"}};
  const OpenedPoint point = open_text(softmax, params);
  ASSERT_EQ(point.compared.size(), 1u) << point.reason;
  EXPECT_EQ(point.compared[0].wrong, 0u);
}

TEST_F(EarlierKernels, AreAddedToNoLaunchThatIsWrong) {
  for (const auto& [launch, words] :
       {std::pair{R"({"arguments": 5})", "arguments: must be a list"},
        {R"([])", "must be an object"},
        {R"({"arguments": [{"type": 7}]})", "arguments[0]: must be an object with a \"type\""}}) {
    for (const char* kernel : {"before 1 kernel", "reference kernel"}) {
      OpenFile::Params params;
      params.subject.entry = "normalise";
      params.subject.launch = SentFile{"/k.launch.json", launch};
      params.chosen = {{kernel, "row_max"}};
      const OpenedPoint point = open_text(softmax, params);
      EXPECT_EQ(point.problem, FileProblem::launch) << launch;
      EXPECT_TRUE(says(point.reason, words)) << point.reason;
    }
  }
}

TEST_F(EarlierKernels, GetBuffersOfTheirOwnThatTheLaunchLacks) {
  const OpenedPoint point = opened("normalise", {{"before 1 kernel", "set_times"}});
  EXPECT_EQ(guessed(point, "before 1 t"), "d_t");
  const Json launch = Json::parse(point.launch);
  ASSERT_TRUE(launch.contains("buffers")) << point.launch;
  EXPECT_EQ(launch["buffers"].at(0)["name"], "d_t");
}

TEST_F(EarlierKernels, MakeABufferLongerWhoseLengthIsGuessed) {
  OpenFile::Params params;
  params.subject.entry = "sum";
  params.chosen = {{"before 1 kernel", "clear"}};
  const OpenedPoint point = open_text(
      "__global__ void clear(float* v) { v[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n"
      "__global__ void sum(const float* v, float* out, int n) {\n"
      "  float s = 0;\n  for (int i = 0; i < n; ++i) s += v[i];\n  *out = s;\n}\n"
      "void run(int n) {\n  float *v, *out;\n  cudaMalloc(&v, n * sizeof(float));\n"
      "  cudaMalloc(&out, sizeof(float));\n  clear<<<n / 100 + 1, 100>>>(v);\n  sum<<<1, 1>>>(v, out, "
      "n);\n}\n",
      params);
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_GT(std::stoi(guessed(point, "v: elements")), std::stoi(guessed(point, "n")));
}

TEST_F(EarlierKernels, TakeValuesOfTheirLaunch) {
  std::map<std::string, std::string> chosen = both;
  chosen["before 1 cols"] = "1";
  chosen["before 2 biggest"] = "c";
  const OpenedPoint point = opened("normalise", chosen);
  const Json launch = Json::parse(point.launch);
  EXPECT_EQ(launch["before"][0]["arguments"][3]["value"], 1);
  EXPECT_EQ(launch["before"][1]["arguments"][1]["of"], "c");
  ASSERT_EQ(point.compared.size(), 1u) << point.reason;
  EXPECT_GT(point.compared[0].wrong, 0u);
}

TEST_F(EarlierKernels, ThatCannotBeLaunchedEndThePointWithAReason) {
  for (const auto& [chosen, words] :
       {std::pair<std::map<std::string, std::string>, const char*>{{{"before 1 kernel", "nothing"}},
                                                                   "has no kernel 'nothing'"},
        {{{"before 1 kernel", "row_max"}, {"before 1 x", "zz"}}, "its argument 'x' cannot be 'zz'"},
        {{{"before 1 grid", "4"}}, "'before 1 grid' is given without 'before 1 kernel'"},
        {{{"before 1 kernel", "trapped"}},
         "The kernel 'trapped(float*)', which is launched before, failed"}}) {
    const OpenedPoint point = opened("normalise", chosen);
    EXPECT_FALSE(has_run(point.status)) << words;
    EXPECT_TRUE(says(point.reason, words)) << point.reason;
  }
}

TEST_F(EarlierKernels, RunBeforeABlockIsSteppedOrRecorded) {
  const Service service = make_measure_service(installation);
  std::vector<std::uint64_t> slots, recorded;
  for (const bool is_set : {false, true}) {
    std::map<std::string, std::string> chosen = {{"times: fill", "0"}};
    if (is_set) chosen["before 1 kernel"] = "set_times";
    ChosenFile file;
    file.subject.code = {"/nowhere/kernel.cu", softmax};
    file.subject.entry = "repeat";
    file.subject.launch = SentFile{"the launch", opened("repeat", chosen).launch};
    file.device = "L4";
    SteppedBlockChoice choice;
    choice.file = file;
    const StepStop stop =
        test_support::ask<Step>(service, {choice, step_target_from("end"), {}}, test_support::no_control);
    ASSERT_EQ(stop.status, Status::ok) << stop.reason;
    slots.push_back(stop.slots);
    RecordBlock::Params block;
    block.file = file;
    const RecordingSummary summary = test_support::ask<RecordBlock>(service, block, test_support::no_control);
    ASSERT_EQ(summary.status, Status::ok) << summary.reason;
    recorded.push_back(summary.matching);
  }
  EXPECT_GT(slots[1], slots[0]);
  EXPECT_GT(recorded[1], recorded[0]);
}

TEST(EarlierKernelChoices, AreNumberedFrom1AndMoveUp) {
  EXPECT_EQ(earlier_kernel_choice(0), "before 1 kernel");
  EXPECT_EQ(earlier_kernel_of("before 12 kernel"), 11u);
  for (const char* other : {"before 1 grid", "before 0 kernel", "before x kernel", "before 1", "before"})
    EXPECT_FALSE(earlier_kernel_of(other)) << other;
  EXPECT_TRUE(is_on_earlier_kernel("before 1 grid"));
  std::map<std::string, std::string> choices = {{"N", "4"},
                                                {"before 1 kernel", "a"},
                                                {"before 1 grid", "2"},
                                                {"before 2 kernel", "b"},
                                                {"before 2 grid", "3"}};
  set_earlier_kernel(choices, 1, "c");
  EXPECT_EQ(choices,
            (std::map<std::string, std::string>{
                {"N", "4"}, {"before 1 kernel", "a"}, {"before 1 grid", "2"}, {"before 2 kernel", "c"}}));
  set_earlier_kernel(choices, 0, "");
  EXPECT_EQ(choices, (std::map<std::string, std::string>{{"N", "4"}, {"before 1 kernel", "c"}}));
}

}  // namespace
}  // namespace tilescope
