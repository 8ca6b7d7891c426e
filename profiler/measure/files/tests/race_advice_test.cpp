// Advice in the findings of races on shared memory, in PTX and in machine code: each fault with its repaired twin.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/measure/files/tests/checked_forms.hpp"

namespace tilescope {
namespace {

using test_support::launch_of;
using test_support::says;

class RaceAdvice : public test_support::CheckedFormsTest {
 protected:
  /// Both forms have the finding, and its text has these parts.
  void expect_said(const std::string& source, const Json& launch, const std::string& kind,
                   const std::vector<std::string>& parts) const {
    SCOPED_TRACE(source);
    const Forms forms = check(source, launch);
    for (const LaunchedPoint* run : {&forms.ptx, &forms.machine_code}) {
      const Finding* found = finding_of(*run, kind);
      ASSERT_NE(found, nullptr) << text_of(*run);
      for (const std::string& part : parts) EXPECT_TRUE(says(found->text, part)) << found->text;
    }
  }
};

// Line 7 is the barrier behind the stores, line 10 the place of the one behind the loads.
std::string rounds(const std::string& second_barrier) {
  return R"(extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int tile[64];
  int sum = 0;
  #pragma unroll 1
  for (int base = 0; base < 192; base += 64) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    #pragma unroll 1
    for (int i = 0; i < 64; ++i) sum += tile[i] * (i + base);
    )" + second_barrier +
         R"(
  }
  out[threadIdx.x] = sum;
}
)";
}

TEST_F(RaceAdvice, ABarrierAtTheEndOfTheRoundWhereOneStandsBehindTheStores) {
  const Json launch = launch_of(1, 64, {192, 64});
  expect_said(rounds(""), launch, "race",
              {"at line 9", "writes it at line 6, in the next round of a loop", "the barrier at line 7",
               "Put __syncthreads() behind line 9, at the end of the round"});
  expect_clean(rounds("__syncthreads();"), launch);
}

// The first half of the threads copies for all of them.
std::string copied(const std::string& before, const std::string& behind) {
  return R"(extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int row[32];
  if (threadIdx.x < 32) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&row[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    )" + before +
         R"(
  }
  __syncthreads();
  )" + behind +
         R"(
  out[threadIdx.x] = row[(threadIdx.x + 1) % 32];
}
)";
}

TEST_F(RaceAdvice, ToWaitForACopyBeforeTheBarrier) {
  const std::string wait = "asm volatile(\"cp.async.wait_all;\" ::: \"memory\");";
  const Json launch = launch_of(1, 64, {32, 64});
  expect_said(copied("", wait), launch, "race",
              {"the cp.async of thread",
               "Put cp.async.wait_group (or cp.async.wait_all) before the barrier at line 8"});
  expect_clean(copied(wait, ""), launch);
}

std::string helpers(const std::string& barrier) {
  return R"(__device__ void put(int* s, int v) { s[threadIdx.x] = v; }
__device__ int take(const int* s) { return s[63 - threadIdx.x]; }
__device__ int turned(int* s, int v) {
  put(s, v);
  )" + barrier +
         R"(
  return take(s);
}
extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int s[64];
  int v = turned(s, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = turned(s, v + 1);
}
)";
}

TEST_F(RaceAdvice, NamesTheLinesInInlinedFunctionsOnceWithTheirCalls) {
  const Json launch = launch_of(1, 64, {64, 64});
  expect_said(
      helpers(""), launch, "race",
      {"at line 1 (", "reads it at line 2 (", "called at line 10)", "race where they are called at line 12"});
  const Forms forms = check(helpers(""), launch);
  EXPECT_EQ(forms.ptx.findings.size(), 1u) << text_of(forms.ptx);
  EXPECT_EQ(forms.machine_code.findings.size(), 1u) << text_of(forms.machine_code);
  expect_clean(helpers("__syncthreads();"), launch);
}

// Threads from 40 on return before the barrier at line 5.
std::string early_return(const std::string& before) {
  return R"(extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x >= 40) { )" +
         before + R"( return; }
  __syncthreads();
  out[threadIdx.x] = s[39 - threadIdx.x];
}
)";
}

TEST_F(RaceAdvice, ThreadsThatReturnEarlyAreNotMissedAtABarrier) {
  expect_clean(early_return(""), launch_of(1, 64, {64, 64}));
}

// The compiler joins the two stores, so the PTX equals one with the barrier in a branch. The synccheck tool of
// compute-sanitizer (CUDA 13.0, H200) reports the barrier for 8 threads of the second warp, and nothing in the kernel above.
TEST_F(RaceAdvice, ThreadsThatShareTheEndOfTheOthersAreMissedAtABarrier) {
  const Forms forms = check(early_return("out[threadIdx.x] = -1;"), launch_of(1, 64, {64, 64}));
  const Finding* found = finding_of(forms.ptx, "divergent_barrier");
  ASSERT_NE(found, nullptr) << text_of(forms.ptx);
  EXPECT_EQ(found->lines, (std::vector<std::int64_t>{5}));
  EXPECT_PRED2(says, found->text, "joined an early return with the end of the kernel");
  EXPECT_EQ(text_of(forms.machine_code), "");
  EXPECT_TRUE(std::ranges::any_of(forms.machine_code.notes, [](const std::string& note) {
    return says(note, "may hide a __syncthreads() that threads of a warp reach apart");
  }));
}

}  // namespace
}  // namespace tilescope
