// Kernels with a fault and their twins without it, as PTX and as machine code: both forms give one verdict, or say what
// they cannot show.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope {
namespace {

using test_support::CubinRunTest;
using test_support::says;
using test_support::subject_of;

const std::string source = R"(
template <bool meets_another> __device__ void halve(const float* in, float* out, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  if (i >= n) {
    if (meets_another) __syncthreads();
    return;
  }
  part[i] = in[i];
  __syncthreads();
  out[i] = 0.5f * part[i ^ 1];
}
// Adds words that the threads behind the end did not write; the loop lacks a barrier.
extern "C" __global__ void adds(const float* in, float* out, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int round = 0; round < 2; ++round) {
    part[i] = in[i] + round;
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += part[k] * in[i];
  }
  out[i] = sum;
}
extern "C" __global__ void leaves(const float* in, float* out, int n) { halve<false>(in, out, n); }
extern "C" __global__ void meets(const float* in, float* out, int n) { halve<true>(in, out, n); }

template <bool orders> __device__ void reverse(const float* in, float* out, int n) {
  __shared__ float part[64];
  int t = threadIdx.x;
  part[t] = in[t] * n;
  if (orders) __syncwarp();
  out[t] = part[t ^ 31];
}
extern "C" __global__ void ordered(const float* in, float* out, int n) { reverse<true>(in, out, n); }
extern "C" __global__ void unordered(const float* in, float* out, int n) { reverse<false>(in, out, n); }

template <int step> __device__ void rotate(const float* in, float* out, int n) {
  __shared__ float part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  for (int r = 0; r < n; ++r) {
    __syncthreads();
    float v = part[t ^ step];
    __syncthreads();
    part[t] = v + 1;
  }
  __syncthreads();
  out[t] = part[t];
}
extern "C" __global__ void own_words(const float* in, float* out, int n) { rotate<0>(in, out, n); }
extern "C" __global__ void lanes_of_a_warp(const float* in, float* out, int n) { rotate<5>(in, out, n); }
extern "C" __global__ void two_warps(const float* in, float* out, int n) { rotate<32>(in, out, n); }

template <int used> __device__ void weigh(const float* in, float* out, int n) {
  __shared__ __align__(16) float row[64][4];
  int t = threadIdx.x;
  for (int c = 0; c < 3; ++c) row[t][c] = in[(t + c) & 63] * n;
  __syncthreads();
  const float4 four = *reinterpret_cast<const float4*>(row[63 - t]);
  out[t] = four.x + 2 * four.y + 3 * four.z + (used == 4 ? four.w : 0);
}
extern "C" __global__ void three(const float* in, float* out, int n) { weigh<3>(in, out, n); }
extern "C" __global__ void four(const float* in, float* out, int n) { weigh<4>(in, out, n); }
)";

class CheckedForms : public CubinRunTest {
 protected:
  static const CompilerOutput& compiled() {
    static const CompilerOutput output =
        Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
            .compile("test.cu", source, {}, {"--gpu-architecture=sm_89", "--std=c++17", "-lineinfo"});
    return output;
  }

  LaunchedPoint check(const std::string& entry, bool is_ptx, int n) const {
    const Json launch = {{"block", {64}},
                         {"arguments",
                          {{{"type", "buffer"}, {"element", "f32"}, {"count", 64}, {"fill", 1}},
                           {{"type", "buffer"}, {"element", "f32"}, {"count", 64}, {"name", "out"}},
                           {{"type", "s32"}, {"value", n}}}}};
    RunFile::Params params;
    params.check = true;
    const std::string code =
        is_ptx ? compiled().ptx : std::string(compiled().cubin.begin(), compiled().cubin.end());
    params.subject = subject_of(code, launch, entry);
    LaunchedPoint point = run(params);
    if (entry != "meets") {
      EXPECT_EQ(point.status, Status::ok) << point.reason;
    }
    return point;
  }
};

std::string text_of(const LaunchedPoint& point) {
  std::string text;
  for (const Finding& finding : point.findings) text += finding.kind + ": " + finding.text + "\n";
  return text;
}

bool has_note(const LaunchedPoint& point, const std::string& part) {
  return std::ranges::any_of(point.notes, [&](const std::string& note) { return says(note, part); });
}

const Diagnosis* diagnosis_of(const LaunchedPoint& point, const std::string& part) {
  if (!point.diagnoses) return nullptr;
  const auto found =
      std::ranges::find_if(*point.diagnoses, [&](const Diagnosis& one) { return says(one.text, part); });
  return found == point.diagnoses->end() ? nullptr : &*found;
}

TEST_F(CheckedForms, ThreadsThatReturnEarlyAreNotWaitedFor) {
  for (const bool is_ptx : {true, false}) {
    EXPECT_EQ(text_of(check("leaves", is_ptx, 40)), "") << is_ptx;
  }
  EXPECT_PRED2(says, text_of(check("meets", true, 40)), "divergent_barrier");
  // The lanes of a warp wait for each other at two places.
  EXPECT_PRED2(says, text_of(check("meets", false, 40)), "deadlock");
  EXPECT_TRUE(has_note(check("leaves", false, 40), "__syncthreads() that threads of a warp reach apart"));
}

TEST_F(CheckedForms, AMissingWarpBarrierShowsInThePtxAndANoteOfTheMachineCodeSaysSo) {
  EXPECT_PRED2(says, text_of(check("unordered", true, 1)), "__syncwarp()");
  EXPECT_EQ(text_of(check("ordered", true, 1)), "");
  EXPECT_FALSE(has_note(check("unordered", true, 1), "__syncwarp()"));
  for (const char* entry : {"unordered", "ordered"}) {
    const LaunchedPoint machine_code = check(entry, false, 1);
    EXPECT_EQ(text_of(machine_code), "") << entry;
    EXPECT_TRUE(has_note(machine_code, "Machine code shows no missing __syncwarp()")) << entry;
    EXPECT_TRUE(has_note(machine_code, "check the PTX of the kernel as well")) << entry;
  }
}

TEST_F(CheckedForms, BarriersAreJudgedByWhatTheyOrder) {
  for (const bool is_ptx : {true, false}) {
    const LaunchedPoint lanes = check("lanes_of_a_warp", is_ptx, 40);
    EXPECT_EQ(text_of(lanes), "") << is_ptx;
    EXPECT_EQ(diagnosis_of(lanes, "order nothing"), nullptr) << is_ptx;
    const Diagnosis* of_lanes = diagnosis_of(lanes, "order only the lanes of one warp");
    ASSERT_NE(of_lanes, nullptr) << is_ptx;
    EXPECT_PRED2(says, of_lanes->repair, "__syncwarp()");
    EXPECT_PRED2(says, of_lanes->evidence, "accesses of one block to shared and global memory");
    const LaunchedPoint none = check("own_words", is_ptx, 40);
    EXPECT_NE(diagnosis_of(none, "order nothing"), nullptr) << is_ptx;
    const LaunchedPoint warps = check("two_warps", is_ptx, 40);
    EXPECT_EQ(text_of(warps), "") << is_ptx;
    EXPECT_EQ(diagnosis_of(warps, "order"), nullptr) << is_ptx;
  }
}

TEST_F(CheckedForms, AWordOfAWideLoadIsAccusedWhereItIsUsed) {
  for (const bool is_ptx : {true, false}) {
    const LaunchedPoint three = check("three", is_ptx, 1);
    EXPECT_EQ(text_of(three), "") << is_ptx;
    EXPECT_FALSE(has_note(three, "wide"));
    const LaunchedPoint four = check("four", is_ptx, 1);
    ASSERT_EQ(four.findings.size(), 1u) << is_ptx << text_of(four);
    EXPECT_EQ(four.findings[0].kind, "uninitialised_read");
    EXPECT_EQ(four.findings[0].addresses[0] % 16, 12) << text_of(four);
  }
}

// The words are added to each other: a sum of two of them depends on both.
TEST_F(CheckedForms, ASumOfUnwrittenWordsIsFoundBesideARace) {
  for (const bool is_ptx : {true, false}) {
    const std::string found = text_of(check("adds", is_ptx, 36));
    EXPECT_PRED2(says, found, "race: ") << is_ptx;
    EXPECT_PRED2(says, found, "uninitialised_read: ") << is_ptx;
  }
}

}  // namespace
}  // namespace tilescope
