// Shuffles and masks, constant arrays and outputs that are not written, in PTX and in machine code.
#include <gtest/gtest.h>

#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/tests/checked_forms.hpp"

namespace tilescope {
namespace {

using test_support::launch_of;
using test_support::says;

class LaneFaults : public test_support::CheckedFormsTest {};
class ConstantArrays : public test_support::CheckedFormsTest {};
class UnwrittenOutput : public test_support::CheckedFormsTest {};

std::string kernel(const std::string& body) {
  return "extern \"C\" __global__ void k(const int* in, int* out) {\n  int v = in[threadIdx.x];\n" + body +
         "\n  out[threadIdx.x] = v;\n}\n";
}

TEST_F(LaneFaults, ADownShuffleOfABlockThatIsSmallerThanAWarp) {
  const std::string reduction =
      kernel("  for (int d = 16; d; d /= 2) v = max(v, __shfl_down_sync(0xffffffffu, v, d));");
  expect_both(reduction, launch_of(1, 11, {11, 11}), "absent_lane", 3);
  expect_clean(reduction, launch_of(1, 64, {64, 64}));
  const std::string text = text_of(check_ptx(reduction, launch_of(1, 11, {11, 11})));
  EXPECT_TRUE(says(text, "the block has 11 threads")) << text;
  EXPECT_TRUE(says(text, "Read like that: lanes 11 to 26")) << text;
  EXPECT_TRUE(says(text, "the mask 0xffffffff")) << text;
}

TEST_F(LaneFaults, SegmentsKeepTheirLanesApart) {
  const std::string segments =
      kernel("  for (int d = 2; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d, 4);");
  expect_clean(segments, launch_of(1, 12, {12, 12}));
  const std::string butterfly =
      kernel("  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);");
  expect_clean(butterfly, launch_of(1, 32, {32, 32}));
  expect_both(butterfly, launch_of(1, 24, {24, 24}), "absent_lane", 3);
  const std::string scan = kernel(
      "  for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(0xffffffffu, v, d); if (threadIdx.x % 32 "
      ">= d) v += o; }");
  expect_clean(scan, launch_of(1, 41, {41, 41}));
}

TEST_F(LaneFaults, AnInactiveSource) {
  const std::string inactive = kernel("  if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, 20);");
  expect_both(inactive, launch_of(1, 32, {32, 32}), "absent_lane", 3);
  const std::string active = kernel("  if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, 12);");
  expect_clean(active, launch_of(1, 32, {32, 32}));
}

TEST_F(LaneFaults, AnExitedSource) {
  const auto with = [](const std::string& source) {
    return "extern \"C\" __global__ void k(const int* in, int* out) {\n  int v = in[threadIdx.x];\n"
           "  if (threadIdx.x >= 20) return;\n  v += __shfl_sync(0xffffffffu, v, " +
           source + ");\n  out[threadIdx.x] = v;\n}\n";
  };
  expect_both(with("25"), launch_of(1, 32, {32, 32}), "absent_lane", 4);
  expect_clean(with("19"), launch_of(1, 32, {32, 32}));
}

TEST_F(LaneFaults, ASourceThatTheMaskLeavesOutShowsInThePtx) {
  // Both halves come together, each with its own mask.
  const std::string crossing =
      kernel("  unsigned m = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;\n  v = __shfl_sync(m, v, 3);");
  const LaunchedPoint run = check_ptx(crossing, launch_of(1, 32, {32, 32}));
  expect_in(run, "absent_lane", 4);
  EXPECT_TRUE(says(text_of(run), "that lane is not in the mask")) << text_of(run);
  const std::string own = kernel(
      "  unsigned m = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;\n  v = __shfl_sync(m, v, threadIdx.x & 16);");
  expect_clean(own, launch_of(1, 32, {32, 32}));
}

TEST_F(LaneFaults, AThreadOutsideItsOwnMask) {
  for (const char* call : {"__shfl_sync(0xfffffffeu, v, 1)", "(int)__ballot_sync(0xfffffffeu, v)",
                           "__reduce_add_sync(0xfffffffeu, v)", "(int)__match_any_sync(0xfffffffeu, v)"}) {
    const LaunchedPoint run =
        check_ptx(kernel("  v = " + std::string(call) + ";"), launch_of(1, 32, {32, 32}));
    expect_in(run, "member_mask", 3);
    EXPECT_TRUE(says(text_of(run), "lane 0 (thread 0)")) << text_of(run);
    EXPECT_TRUE(says(text_of(run), "does not name the lane itself")) << text_of(run);
  }
  const LaunchedPoint barrier = check_ptx(kernel("  __syncwarp(0xfffffffeu);"), launch_of(1, 32, {32, 32}));
  expect_in(barrier, "member_mask", 3);
}

TEST_F(LaneFaults, LanesOfOneMaskWithAnother) {
  const LaunchedPoint run =
      check_ptx(kernel("  v = __shfl_sync(threadIdx.x < 31 ? ~0u : 0x80000000u, v, threadIdx.x);"),
                launch_of(1, 32, {32, 32}));
  expect_in(run, "member_mask", 3);
}

TEST_F(LaneFaults, VotesOfTheThreadsThatAreLeftAreClean) {
  const std::string votes =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n  int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n"
      "  if (i >= 50) return;\n  int v = in[i];\n"
      "  unsigned m = __ballot_sync(0xffffffffu, v);\n  m += __any_sync(0xffffffffu, v) + "
      "__all_sync(0xffffffffu, v);\n"
      "  m += __match_any_sync(__activemask(), v);\n  out[i] = m + __reduce_max_sync(__activemask(), "
      "v);\n}\n";
  expect_clean(votes, launch_of(2, 32, {64, 64}));
}

const std::string taps =
    "__constant__ float taps[3] = {1, 2, 1};\n"
    "extern \"C\" __global__ void k(const int* in, int* out) {\n  float s = 0;\n"
    "  for (int t = 0; t < in[0]; ++t) s += taps[t];\n  out[threadIdx.x] = s;\n}\n";

Json launch_with(int width) {
  Json launch = launch_of(1, 32, {1, 32});
  launch["arguments"][0]["fill"] = width;
  return launch;
}

TEST_F(ConstantArrays, ReadBehindTheirEnd) {
  expect_both(taps, launch_with(5), "out_of_bounds", 4);
  expect_clean(taps, launch_with(3));
  const std::string text = text_of(check_machine_code(taps, launch_with(5)));
  EXPECT_TRUE(says(text, "of 'taps', which has 12")) << text;
}

TEST_F(ConstantArrays, ReadIntoTheNextOne) {
  const auto two = [](const std::string& index) {
    return "__constant__ float taps[4] = {1, 2, 1, 3};\n__constant__ float more[16] = {5};\n"
           "extern \"C\" __global__ void k(const int* in, int* out) {\n"
           "  out[threadIdx.x] = taps[" +
           index + "] + more[threadIdx.x % 16];\n}\n";
  };
  expect_both(two("threadIdx.x + in[0]"), launch_of(1, 8, {1, 8}), "out_of_bounds", 4);
  expect_clean(two("threadIdx.x + in[0]"), launch_of(1, 4, {1, 4}));
  expect_clean(two("threadIdx.x + in[0] - 1"), [] {
    Json launch = launch_of(1, 4, {1, 4});
    launch["arguments"][0]["fill"] = 1;
    return launch;
  }());
}

TEST_F(ConstantArrays, AnIndexMayBeCountedFromTheValueBefore) {
  const std::string source =
      "__constant__ int count = 3;\n__constant__ float taps[3] = {1, 2, 1};\n"
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  out[threadIdx.x] = taps[threadIdx.x + in[0] - 1] + count;\n}\n";
  Json launch = launch_of(1, 3, {1, 3});
  launch["arguments"][0]["fill"] = 1;
  expect_clean(source, launch);
}

TEST_F(ConstantArrays, AreNoGlobalMemory) {
  const std::string source =
      "__constant__ int taps[3] = {1, 2, 1};\n"
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  out[threadIdx.x] = taps[in[threadIdx.x] + threadIdx.x % 3];\n}\n";
  const Forms forms = check(source, launch_of(1, 32, {32, 32}));
  for (const LaunchedPoint* run : {&forms.ptx, &forms.machine_code}) {
    ASSERT_TRUE(run->memory);
    EXPECT_EQ(run->memory->bytes.at("global_read"), 32 * 4);
    EXPECT_EQ(run->memory->global_requests, 2);
    EXPECT_EQ(run->memory->global_sectors, 8);
    EXPECT_EQ(run->memory->sites.size(), 2u);
  }
}

// ptxas keeps the place of `taps` in a register. The loads' own offset is then 0, where `first` lies.
const std::string counted_in_a_register =
    "__constant__ double first[10];\n__constant__ float taps[10] = {1, 2, 1};\n__constant__ short last[10];\n"
    "extern \"C\" __global__ void k(const int* in, int* out) {\n"
    "  float s = in[0] == 99 ? first[threadIdx.x % 10] + last[threadIdx.x % 10] : 0;\n"
    "  int start = threadIdx.x - in[0] / 2;\n  for (int t = 0; t < in[0]; ++t)\n"
    "    if (start + t >= 0 && start + t < 32) s += in[start + t] * taps[t];\n"
    "  out[threadIdx.x] = s;\n}\n";

TEST_F(ConstantArrays, ARegisterMayHoldTheirPlace) {
  Json launch = launch_of(1, 32, {32, 32});
  launch["arguments"][0]["fill"] = 3;
  expect_clean(counted_in_a_register, launch);
  launch["arguments"][0]["fill"] = 9;
  expect_clean(counted_in_a_register, launch);
}

const std::string part =
    "extern \"C\" __global__ void k(const int* in, int* out) {\n"
    "  out[threadIdx.x] = in[threadIdx.x];\n}\n";

Json output_of(const Json& output) {
  Json launch = launch_of(1, 32, {32, 40});
  launch["arguments"][1].update(output);
  return launch;
}

TEST_F(UnwrittenOutput, OfAMarkedOrNanBufferIsAFault) {
  expect_both(part, output_of({{"output", true}}), "unwritten_output", 0);
  expect_both(part, output_of({{"element", "f32"}, {"fill", "nan"}}), "unwritten_output", 0);
  const LaunchedPoint run = check_ptx(part, output_of({{"output", true}}));
  EXPECT_TRUE(says(text_of(run), "no thread wrote 8 of 40 elements of 'out', the first of them [32]"))
      << text_of(run);
  EXPECT_EQ(finding_of(run, "unwritten_output")->occurrences, 8);
}

TEST_F(UnwrittenOutput, OfAnotherBufferIsANote) {
  const Forms forms = check(part, output_of(Json::object()));
  for (const LaunchedPoint* run : {&forms.ptx, &forms.machine_code}) {
    EXPECT_EQ(text_of(*run), "");
    EXPECT_TRUE(std::ranges::any_of(run->notes,
                                    [](const std::string& note) { return says(note, "8 of 40 elements"); }));
  }
  const Json exact = [] {
    Json launch = launch_of(1, 32, {32, 32});
    launch["arguments"][1]["output"] = true;
    return launch;
  }();
  expect_clean(part, exact);
  EXPECT_TRUE(check_ptx(part, exact).notes.empty());
  EXPECT_EQ(check_ptx(part, output_of({{"output", 1}})).problem, FileProblem::launch);
}

TEST_F(UnwrittenOutput, WhatWasLookedForIsSaid) {
  const Forms forms = check(part, output_of({{"output", true}}));
  const auto has = [](const std::vector<std::string>& list, const std::string& words) {
    return std::ranges::any_of(list, [&](const std::string& one) { return says(one, words); });
  };
  EXPECT_TRUE(has(forms.ptx.looked_for.families, "races on global memory"));
  EXPECT_TRUE(has(forms.ptx.looked_for.families, "unwritten elements of outputs"));
  EXPECT_FALSE(has(forms.ptx.looked_for.not_looked_for, "__syncwarp()"));
  EXPECT_TRUE(has(forms.machine_code.looked_for.not_looked_for, "__syncwarp()"));
  EXPECT_TRUE(has(forms.ptx.looked_for.families, "barriers that not all threads reach"));
  EXPECT_TRUE(has(forms.machine_code.looked_for.families, "deadlocks at barriers"));
  EXPECT_TRUE(
      has(forms.machine_code.looked_for.not_looked_for, "barriers that threads of a warp reach apart"));
  EXPECT_TRUE(
      has(check_ptx(part, output_of(Json::object())).looked_for.not_looked_for, "unwritten elements"));
  EXPECT_TRUE(Json(forms.ptx)["looked_for"].is_array());
}

}  // namespace
}  // namespace tilescope
