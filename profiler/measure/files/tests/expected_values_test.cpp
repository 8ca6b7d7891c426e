// Buffers compared with "expected" values, in PTX and in machine code.
#include <cstring>

#include "profiler/measure/files/tests/checked_forms.hpp"
#include "profiler/measure/files/tests/npy_bytes.hpp"

namespace tilescope {
namespace {

using test_support::launch_of;
using test_support::npy_bytes;
using test_support::says;

Json with_out(Json launch, const Json& out) {
  launch["arguments"].back().update(out);
  return launch;
}

Json counting(std::int32_t first, std::int32_t count) {
  Json values = Json::array();
  for (std::int32_t i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

class ExpectedValuesOfFiles : public test_support::CheckedFormsTest {
 protected:
  // Both forms, without --check unless `check` says so.
  Forms run_both(const std::string& source, const Json& launch, std::vector<SentArray> arrays = {},
                 bool check = false) const {
    const CompilerOutput compiled =
        Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
            .compile("test.cu", source, {}, {"--gpu-architecture=sm_89", "--std=c++17", "-lineinfo"});
    const std::vector<char> cubin = compile(source, "sm_89", {"-lineinfo"});
    const auto run_code = [&](std::string code) {
      RunFile::Params params;
      params.subject = test_support::subject_of(std::move(code), launch);
      params.subject.arrays = arrays;
      params.check = check;
      const LaunchedPoint point = run(params);
      EXPECT_EQ(Json(point).get<LaunchedPoint>().compared, point.compared);
      return point;
    };
    return {run_code(compiled.ptx), run_code({cubin.begin(), cubin.end()})};
  }
  static std::vector<const LaunchedPoint*> both(const Forms& forms) {
    return {&forms.ptx, &forms.machine_code};
  }
  // The last writer of the first wrong element, by both forms.
  void expect_writer(const std::string& source, const Json& launch, std::int64_t line, std::uint32_t block,
                     std::uint32_t thread) const {
    SCOPED_TRACE(source);
    const Forms forms = run_both(source, launch);
    for (const LaunchedPoint* point : both(forms)) {
      expect_in(*point, "wrong_value", line);
      ASSERT_EQ(point->compared.size(), 1u);
      ASSERT_TRUE(point->compared[0].first) << text_of(*point);
      ASSERT_TRUE(point->compared[0].first->writer) << text_of(*point);
      const ValueWriter& writer = *point->compared[0].first->writer;
      EXPECT_EQ(writer.line, line) << text_of(*point);
      EXPECT_EQ(writer.block[0], block);
      EXPECT_EQ(writer.thread, thread);
    }
  }
};

// One store for each thread.
const std::string copy =
    "extern \"C\" __global__ void k(const int* in, int* out) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int v = in[i];\n"
    "  if (i == 37) v += 5;\n"
    "  out[i] = v + i;\n}\n";

TEST_F(ExpectedValuesOfFiles, RightValuesAreNoFinding) {
  const Forms forms = run_both(copy, with_out(launch_of(1, 32, {32, 32}), {{"expected", counting(0, 32)}}));
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_EQ(text_of(*point), "");
    ASSERT_EQ(point->compared.size(), 1u);
    EXPECT_EQ(point->compared[0].buffer, 1u);
    EXPECT_EQ(point->compared[0].elements, 32u);
    EXPECT_EQ(point->compared[0].wrong, 0u);
    EXPECT_FALSE(point->compared[0].first);
  }
}

TEST_F(ExpectedValuesOfFiles, AWrongElementIsNamedWithItsWriter) {
  const Json launch = with_out(launch_of(2, 32, {64, 64}), {{"expected", counting(0, 64)}});
  expect_writer(copy, launch, 5, 1, 5);
  const Forms forms = run_both(copy, launch);
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_EQ(point->status, Status::ok);
    const Finding& finding = point->findings[0];
    EXPECT_EQ(
        finding.text,
        "1 of 64 elements of 'out' differs from the expected values. First, [37] is 42 and should be 37 "
        "(difference 5); thread 5 of block (1, 0, 0) wrote it last, at line 5");
    EXPECT_EQ(finding.block, (std::vector<std::int64_t>{1, 0, 0}));
    EXPECT_EQ(finding.threads, (std::vector<std::int64_t>{5}));
    EXPECT_EQ(finding.occurrences, 1);
    const Json element = Json(*point)["compared"][0]["first"];
    EXPECT_EQ(element["value"], 42);
    EXPECT_EQ(element["expected"], 37);
    EXPECT_EQ(element["difference"], 5);
    EXPECT_EQ(point->buffers[1].contents.size(), 64u * 4) << "as the first run left it";
    std::int32_t left = 0;
    std::memcpy(&left, point->buffers[1].contents.data() + std::size_t{37} * 4, sizeof left);
    EXPECT_EQ(left, 42);
  }
}

TEST_F(ExpectedValuesOfFiles, TheFirstAndTheLargestAreNamed) {
  Json wanted = counting(0, 32);
  wanted[3] = 4;
  wanted[20] = -100;
  const Forms forms = run_both(copy, with_out(launch_of(1, 32, {32, 32}), {{"expected", wanted}}));
  for (const LaunchedPoint* point : both(forms)) {
    const std::string text = text_of(*point);
    EXPECT_TRUE(says(text, "2 of 32 elements of 'out'")) << text;
    EXPECT_TRUE(says(text, "First, [3] is 3 and should be 4 (difference 1)")) << text;
    EXPECT_TRUE(says(text,
                     "The largest difference: [20] is 20 and should be -100 (difference 120); thread 20 of "
                     "block (0, 0, 0) wrote it last, at line 5"))
        << text;
  }
}

TEST_F(ExpectedValuesOfFiles, TheIndexHasTheBuffersShape) {
  const Json out = {{"shape", {2, 4, 8}}, {"expected", {{"npy", "r.npy"}}}};
  std::vector<std::int32_t> wanted(64);
  for (std::int32_t i = 0; i < 64; ++i) wanted[static_cast<std::size_t>(i)] = i;
  const std::vector<SentArray> arrays = {
      {"r.npy", {"/r.npy", npy_bytes("<i4", "(2, 4, 8)", test_support::items_of(wanted))}}};
  Json launch = with_out(launch_of(2, 32, {64, 64}), out);
  const Forms forms = run_both(copy, launch, arrays);
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_TRUE(says(text_of(*point), "[1, 0, 5] (element 37) is 42 and should be 37")) << text_of(*point);
    EXPECT_EQ(point->compared[0].first->position, (std::vector<std::uint64_t>{1, 0, 5}));
  }
}

TEST_F(ExpectedValuesOfFiles, StoresOfVectors) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, int4* out) {\n"
      "  int i = threadIdx.x;\n"
      "  out[i] = make_int4(in[i], in[i], in[i] + (i == 3), in[i]);\n}\n";
  expect_writer(source, with_out(launch_of(1, 8, {8, 32}), {{"expected", 0}}), 3, 0, 3);
  const std::string bytes =
      "extern \"C\" __global__ void k(const int* in, char* out) {\n"
      "  out[threadIdx.x] = in[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 6) out[6] = in[0] + 1;\n}\n";
  expect_writer(bytes, with_out(launch_of(1, 64, {64, 16}), {{"expected", 0}}), 4, 0, 6);
}

TEST_F(ExpectedValuesOfFiles, TheLastOfSeveralStores) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  out[threadIdx.x] = in[threadIdx.x] + 1;\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x < 40) out[39 - threadIdx.x] = in[threadIdx.x] + 2;\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 50) out[7] = 3;\n}\n";
  Json wanted = Json::array();
  for (int i = 0; i < 64; ++i) wanted.push_back(i == 7 ? 0 : i < 40 ? 2 : 1);
  expect_writer(source, with_out(launch_of(1, 64, {64, 64}), {{"expected", wanted}}), 6, 0, 50);
  wanted[7] = 3;
  wanted[0] = 9;
  expect_writer(source, with_out(launch_of(1, 64, {64, 64}), {{"expected", wanted}}), 4, 0, 39);
}

TEST_F(ExpectedValuesOfFiles, Atomics) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  atomicAdd(&out[0], 1);\n"
      "  if (threadIdx.x == 0) out[1 + blockIdx.x] = in[0];\n}\n";
  const Json launch = with_out(launch_of(3, 32, {1, 4}), {{"expected", {95, 0, 0, 0}}});
  const Forms forms = run_both(source, launch);
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_TRUE(says(text_of(*point),
                     "[0] is 96 and should be 95 (difference 1); the last atomic on it is by thread "))
        << text_of(*point);
    EXPECT_TRUE(says(text_of(*point), "of block (2, 0, 0), at line 2, and 2 other blocks wrote it too"))
        << text_of(*point);
    EXPECT_TRUE(point->compared[0].first->writer->is_atomic);
  }
}

TEST_F(ExpectedValuesOfFiles, AWriterInAFunctionHasItsCall) {
  const std::string source =
      "__device__ __forceinline__ void put(int* at, int v) { *at = v; }\n"
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  put(out + threadIdx.x, in[threadIdx.x] + 1);\n}\n";
  const Forms forms = run_both(source, with_out(launch_of(1, 32, {32, 32}), {{"expected", 0}}));
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_TRUE(says(text_of(*point), "at line 1 (")) << text_of(*point);
    EXPECT_TRUE(says(text_of(*point), "called at line 3)")) << text_of(*point);
  }
}

TEST_F(ExpectedValuesOfFiles, AnElementThatNothingWroteIsSaid) {
  const std::string part =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  if (threadIdx.x < 30) out[threadIdx.x] = in[threadIdx.x] + 1;\n}\n";
  const Json launch = with_out(launch_of(1, 32, {32, 32}), {{"expected", 1}});
  const Forms forms = run_both(part, launch);
  for (const LaunchedPoint* point : both(forms)) {
    expect_in(*point, "wrong_value", 0);
    EXPECT_TRUE(says(text_of(*point),
                     "2 of 32 elements of 'out' differ from the expected values. First, [30] is 0 and "
                     "should be 1 (difference 1); nothing wrote it. Nothing wrote 2 of them"))
        << text_of(*point);
    EXPECT_EQ(point->compared[0].unwritten, 2u);
    EXPECT_FALSE(point->compared[0].first->writer);
  }
  const Forms checked = run_both(part, launch, {}, true);
  for (const LaunchedPoint* point : both(checked)) {
    EXPECT_NE(finding_of(*point, "unwritten_output"), nullptr) << text_of(*point);
    EXPECT_NE(finding_of(*point, "wrong_value"), nullptr) << text_of(*point);
  }
  const Forms unmarked = run_both(part, with_out(launch, {{"output", false}}), {}, true);
  for (const LaunchedPoint* point : both(unmarked)) expect_in(*point, "wrong_value", 0);
}

TEST_F(ExpectedValuesOfFiles, FloatsHaveATolerance) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* in, float* out) {\n"
      "  out[threadIdx.x] = threadIdx.x == 9 ? 0.0f / in[9] : in[threadIdx.x] + 0.1f * threadIdx.x;\n}\n";
  Json launch = launch_of(1, 10, {10, 10});
  for (Json& argument : launch["arguments"]) argument["element"] = "f32";
  Json wanted = Json::array();
  for (int i = 0; i < 9; ++i) wanted.push_back(0.1 * i);
  wanted.push_back("nan");
  const Forms right = run_both(source, with_out(launch, {{"expected", wanted}}));
  for (const LaunchedPoint* point : both(right)) EXPECT_EQ(text_of(*point), "");
  wanted[9] = 0;
  const Forms nan =
      run_both(source, with_out(launch, {{"expected", {{"values", wanted}, {"tolerance", 1}}}}));
  for (const LaunchedPoint* point : both(nan)) {
    EXPECT_TRUE(
        says(text_of(*point),
             "1 of 10 elements of 'out' differs from the expected values by more than 1 + 1 * |expected|. "
             "First, [9] is nan and should be 0.0; thread 9"))
        << text_of(*point);
    EXPECT_FALSE(point->compared[0].first->difference);
  }
}

TEST_F(ExpectedValuesOfFiles, AnotherBufferIsTheReference) {
  const std::string source =
      "extern \"C\" __global__ void k(int* reference, int* out) {\n"
      "  reference[threadIdx.x] = 2 * threadIdx.x;\n"
      "  out[threadIdx.x] = threadIdx.x + threadIdx.x + (threadIdx.x == 11);\n}\n";
  const Json launch = with_out(launch_of(1, 32, {32, 32}), {{"expected", {{"buffer", "in0"}}}});
  expect_writer(source, launch, 3, 0, 11);
  const Forms wide =
      run_both(source, with_out(launch, {{"expected", {{"buffer", "in0"}, {"tolerance", 1}}}}));
  for (const LaunchedPoint* point : both(wide)) EXPECT_EQ(text_of(*point), "");
}

TEST_F(ExpectedValuesOfFiles, SeveralBuffersAreComparedEachByItself) {
  Json launch = with_out(launch_of(1, 32, {32, 32}), {{"expected", counting(0, 32)}});
  launch["arguments"][0].update({{"expected", 1}, {"output", false}});
  const Forms forms = run_both(copy, launch);
  for (const LaunchedPoint* point : both(forms)) {
    ASSERT_EQ(point->compared.size(), 2u);
    EXPECT_EQ(point->compared[0].wrong, 32u);
    EXPECT_EQ(point->compared[0].unwritten, 32u) << "an input";
    EXPECT_EQ(point->compared[1].wrong, 0u);
    ASSERT_EQ(point->findings.size(), 1u);
    EXPECT_TRUE(says(point->findings[0].text, "32 of 32 elements of 'in0'"));
  }
}

TEST_F(ExpectedValuesOfFiles, VariablesBeginAgainForTheSecondRun) {
  const std::string source =
      "__device__ int total = 0;\n"
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  if (threadIdx.x == 0) out[atomicAdd(&total, 1)] = in[0] + 1;\n}\n";
  expect_writer(source, with_out(launch_of(4, 32, {1, 4}), {{"expected", {1, 1, 0, 1}}}), 3, 2, 0);
}

TEST_F(ExpectedValuesOfFiles, ARunThatDoesNotEndIsNotCompared) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  out[threadIdx.x + 1000 * in[0]] = 7;\n}\n";
  Json launch = with_out(launch_of(1, 32, {1, 32}), {{"expected", 0}});
  launch["arguments"][0]["fill"] = 1;
  const Forms forms = run_both(source, launch);
  for (const LaunchedPoint* point : both(forms)) {
    EXPECT_EQ(point->status, Status::launch_failed);
    EXPECT_TRUE(point->compared.empty());
    EXPECT_EQ(finding_of(*point, "wrong_value"), nullptr);
    EXPECT_TRUE(std::ranges::any_of(
        point->notes, [](const std::string& note) { return says(note, "Values were not compared"); }));
  }
}

TEST_F(ExpectedValuesOfFiles, WhatIsLookedForIsSaid) {
  const auto has = [](const std::vector<std::string>& list, const std::string& words) {
    return std::ranges::any_of(list, [&](const std::string& one) { return says(one, words); });
  };
  const Json launch = launch_of(1, 32, {32, 32});
  const Forms expecting = run_both(copy, with_out(launch, {{"expected", counting(0, 32)}}), {}, true);
  for (const LaunchedPoint* point : both(expecting)) {
    EXPECT_EQ(text_of(*point), "");
    EXPECT_TRUE(has(point->looked_for.families, "values other than the launch file's \"expected\" ones"));
    EXPECT_FALSE(has(point->looked_for.not_looked_for, "wrong values"));
  }
  const Forms none = run_both(copy, launch, {}, true);
  for (const LaunchedPoint* point : both(none))
    EXPECT_TRUE(has(point->looked_for.not_looked_for, "wrong values"));
}

}  // namespace
}  // namespace tilescope
