// Races on global memory, in PTX and in machine code: each fault beside the same kernel without it.
#include <gtest/gtest.h>

#include "profiler/measure/files/tests/checked_forms.hpp"

namespace tilescope {
namespace {

using test_support::launch_of;
using test_support::says;

class GlobalRaces : public test_support::CheckedFormsTest {};

const std::string head = "extern \"C\" __global__ void k(int* in, int* out) {\n";  // line 1

TEST_F(GlobalRaces, LostUpdatesOfThreadsAndBlocks) {
  const auto histogram = [](const std::string& update) {
    return head + "  int bin = in[threadIdx.x];\n" + update + "\n}\n";
  };
  expect_both(histogram("out[bin] += 1;"), launch_of(4, 64, {64, 4}), "global_race", 3);
  expect_clean(histogram("atomicAdd(&out[bin], 1);"), launch_of(4, 64, {64, 4}));
}

TEST_F(GlobalRaces, ALostUpdateOfOneWarpStoresTheSameValue) {
  const std::string source = head + "  out[in[threadIdx.x]] += 1;\n}\n";
  expect_both(source, launch_of(1, 32, {32, 4}), "global_race", 2);
  EXPECT_TRUE(
      says(text_of(check_machine_code(source, launch_of(1, 32, {32, 4}))), "one of the updates is lost"));
  EXPECT_TRUE(says(text_of(check_ptx(source, launch_of(1, 32, {32, 4}))), "use an atomic"));
}

TEST_F(GlobalRaces, AnUpdateByOneThreadOfEachBlock) {
  const std::string source = head + "  if (threadIdx.x == 0) out[0] += in[blockIdx.x];\n}\n";
  expect_both(source, launch_of(8, 32, {8, 1}), "global_race", 2);
  EXPECT_TRUE(says(text_of(check_ptx(source, launch_of(8, 32, {8, 1}))), "one of the updates is lost"));
}

TEST_F(GlobalRaces, VolatileUpdatesAreLostToo) {
  const std::string source = head + "  volatile int* h = out;\n  h[0] = h[0] + (int)threadIdx.x;\n}\n";
  expect_both(source, launch_of(2, 32, {32, 4}), "global_race", 3);
}

TEST_F(GlobalRaces, WithinABlockABarrierOrders) {
  const auto exchange = [](const std::string& barrier) {
    return head + "  in[threadIdx.x] = threadIdx.x;\n  " + barrier +
           "\n  out[threadIdx.x] = in[threadIdx.x ^ 32];\n}\n";
  };
  expect_both(exchange(""), launch_of(1, 64, {64, 64}), "global_race", 4);
  expect_clean(exchange("__syncthreads();"), launch_of(1, 64, {64, 64}));
}

TEST_F(GlobalRaces, WithinAWarpThePtxShowsTheMissingSyncwarp) {
  const auto exchange = [](const std::string& barrier) {
    return head + "  in[threadIdx.x] = threadIdx.x;\n  " + barrier +
           "\n  out[threadIdx.x] = in[threadIdx.x ^ 1];\n}\n";
  };
  const LaunchedPoint racy = check_ptx(exchange(""), launch_of(1, 32, {32, 32}));
  expect_in(racy, "global_race", 4);
  EXPECT_TRUE(says(text_of(racy), "__syncwarp()"));
  expect_clean(exchange("__syncwarp();"), launch_of(1, 32, {32, 32}));
}

TEST_F(GlobalRaces, BlocksAreNotOrderedByBarriers) {
  const std::string racy =
      head +
      "  in[blockIdx.x * 32 + threadIdx.x] = 1;\n  __syncthreads();\n"
      "  out[blockIdx.x * 32 + threadIdx.x] = in[(blockIdx.x ^ 1) * 32 + threadIdx.x];\n}\n";
  expect_both(racy, launch_of(4, 32, {128, 128}), "global_race", 4);
  const std::string own =
      head +
      "  in[blockIdx.x * 32 + threadIdx.x] = 1;\n  __syncthreads();\n"
      "  out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + (threadIdx.x ^ 1)];\n}\n";
  expect_clean(own, launch_of(4, 32, {128, 128}));
}

TEST_F(GlobalRaces, BlocksThatWriteTheSameElements) {
  const std::string source = head + "  out[threadIdx.x] = blockIdx.x;\n}\n";
  expect_both(source, launch_of(16, 32, {4, 32}), "global_race", 2);
}

TEST_F(GlobalRaces, AStencilInPlace) {
  const std::string source = head +
                             "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                             "  if (i > 0 && i < 127) out[i] = out[i - 1] + out[i + 1];\n}\n";
  expect_both(source, launch_of(2, 64, {4, 128}), "global_race", 3);
  const std::string elementwise =
      head + "  int i = blockIdx.x * 64 + threadIdx.x;\n  out[i] = 2 * out[i] + in[i % 4];\n}\n";
  expect_clean(elementwise, launch_of(2, 64, {4, 128}));
}

// Each block writes its part, fences, and takes a ticket; the last one adds the parts.
std::string last_block(const std::string& fence, const std::string& value = "threadIdx.x") {
  return "__device__ unsigned int tickets;\n"
         "extern \"C\" __global__ void k(int* parts, int* out) {\n"
         "  __shared__ bool is_last;\n"
         "  parts[blockIdx.x * blockDim.x + threadIdx.x] = " +
         value +
         ";\n"
         "  " +
         fence +
         "\n"
         "  if (threadIdx.x == 0) is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;\n"
         "  __syncthreads();\n"
         "  if (!is_last) return;\n"
         "  int sum = 0;\n"
         "  for (int b = 0; b < gridDim.x; ++b) sum += parts[b * blockDim.x + threadIdx.x];\n"
         "  out[threadIdx.x] = sum;\n"
         "  if (threadIdx.x == 0) tickets = 0;\n"
         "}\n";
}

TEST_F(GlobalRaces, TheLastBlockMayReadTheOthers) {
  const Json launch = launch_of(6, 64, {384, 64});
  expect_clean(last_block("__threadfence(); __syncthreads();"), launch);
  expect_clean(last_block("__syncthreads(); if (threadIdx.x == 0) __threadfence();"), launch);
  expect_both(last_block("__syncthreads();"), launch, "global_race", 10);
  expect_both(last_block("__threadfence_block(); __syncthreads();"), launch, "global_race", 10);
}

TEST_F(GlobalRaces, TheFenceCountsForWhatItsThreadKnows) {
  // Without a barrier the fence of thread 0 covers its own writes alone.
  const std::string early = last_block("if (threadIdx.x == 0) __threadfence(); __syncthreads();");
  expect_both(early, launch_of(6, 64, {384, 64}), "global_race", 10);
}

TEST_F(GlobalRaces, AReductionOfPartsByThreadZero) {
  const auto reduction = [](const std::string& fence) {
    return "__device__ unsigned int tickets;\n"
           "extern \"C\" __global__ void k(const int* in, volatile int* out) {\n"
           "  __shared__ int sum; __shared__ bool is_last;\n"
           "  if (threadIdx.x == 0) sum = 0;\n  __syncthreads();\n"
           "  atomicAdd(&sum, in[blockIdx.x * 32 + threadIdx.x]);\n  __syncthreads();\n"
           "  if (threadIdx.x == 0) {\n    ((int*)out)[blockIdx.x] = sum;\n    " +
           fence +
           "\n"
           "    is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
           "  if (is_last && threadIdx.x == 0) {\n    int all = 0;\n"
           "    for (int b = 0; b < gridDim.x; ++b) all += out[b];\n    out[gridDim.x] = all;\n  }\n}\n";
  };
  expect_clean(reduction("__threadfence();"), launch_of(5, 32, {160, 6}));
  expect_both(reduction(""), launch_of(5, 32, {160, 6}), "global_race", 16);
}

TEST_F(GlobalRaces, AFlagOrdersWithAFence) {
  const auto pipeline = [](const std::string& fence, const std::string& flags) {
    return "extern \"C\" __global__ void k(" + flags +
           " flags, int* out) {\n"
           "  if (threadIdx.x != 0) return;\n"
           "  int before = 0;\n"
           "  if (blockIdx.x > 0) {\n    while (flags[blockIdx.x - 1] == 0) {}\n    " +
           fence +
           "\n"
           "    before = out[blockIdx.x - 1];\n  }\n"
           "  out[blockIdx.x] = before + 1;\n  " +
           fence + "\n  flags[blockIdx.x] = 1;\n}\n";
  };
  expect_clean(pipeline("__threadfence();", "volatile int*"), launch_of(4, 32, {4, 4}));
  expect_both(pipeline("", "volatile int*"), launch_of(4, 32, {4, 4}), "global_race", 7);
}

TEST_F(GlobalRaces, AReleaseNeedsNoFence) {
  const auto chain = [](const std::string& store, const std::string& load) {
    return "extern \"C\" __global__ void k(int* flags, int* out) {\n"
           "  if (threadIdx.x != 0) return;\n  int before = 0, seen = 0;\n"
           "  if (blockIdx.x > 0) {\n    while (seen == 0) asm volatile(\"" +
           load +
           " %0, [%1];\" : \"=r\"(seen) : \"l\"(flags + blockIdx.x - 1) : \"memory\");\n"
           "    before = out[blockIdx.x - 1];\n  }\n"
           "  out[blockIdx.x] = before + 1;\n"
           "  asm volatile(\"" +
           store + " [%0], %1;\" :: \"l\"(flags + blockIdx.x), \"r\"(1) : \"memory\");\n}\n";
  };
  expect_clean(chain("st.release.gpu.global.s32", "ld.acquire.gpu.global.s32"), launch_of(4, 32, {4, 4}));
  expect_both(chain("st.relaxed.gpu.global.s32", "ld.relaxed.gpu.global.s32"), launch_of(4, 32, {4, 4}),
              "global_race", 6);
}

TEST_F(GlobalRaces, ALockOrdersWithFences) {
  const auto locked = [](const std::string& fence) {
    return "extern \"C\" __global__ void k(int* lock, int* out) {\n"
           "  if (threadIdx.x % 32 != 0) return;\n"
           "  while (atomicCAS(lock, 0, 1) != 0) {}\n  " +
           fence +
           "\n"
           "  out[0] += 1;\n  " +
           fence +
           "\n"
           "  atomicExch(lock, 0);\n}\n";
  };
  expect_clean(locked("__threadfence();"), launch_of(3, 64, {1, 1}));
  expect_both(locked(""), launch_of(3, 64, {1, 1}), "global_race", 5);
}

TEST_F(GlobalRaces, ALoopWithACompareAndSwapMayReadFirst) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, int* out) {\n"
      "  float* sum = (float*)out;\n  int old = *out, assumed;\n"
      "  do {\n    assumed = old;\n"
      "    old = atomicCAS(out, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));\n"
      "  } while (assumed != old);\n  if (sum == nullptr) out[1] = in[0];\n}\n";
  expect_clean(source, launch_of(3, 64, {4, 2}));
}

TEST_F(GlobalRaces, APlainReadOfAnAtomicWord) {
  const std::string source =
      head + "  atomicAdd(out, 1);\n  in[blockIdx.x * 64 + threadIdx.x] = out[0];\n}\n";
  const LaunchedPoint run = check_ptx(source, launch_of(2, 64, {128, 1}));
  expect_in(run, "global_race", 3);
}

TEST_F(GlobalRaces, TheSameValueIsNoFault) {
  const std::string source = head + "  if (in[threadIdx.x] == 0) out[0] = 1;\n}\n";
  const Forms forms = check(source, launch_of(4, 64, {64, 1}));
  expect_in(forms.ptx, "same_value_store", 2);
  expect_in(forms.machine_code, "same_value_store", 2);
  EXPECT_FALSE(is_fault(forms.ptx.findings.front()));
  EXPECT_TRUE(says(text_of(forms.ptx), "the order does not change the result"));
}

TEST_F(GlobalRaces, AFlagThatIsReadBeforeItIsSet) {
  const std::string source = head + "  if (out[in[threadIdx.x]] == 0) out[in[threadIdx.x]] = 7;\n}\n";
  const Forms forms = check(source, launch_of(3, 64, {64, 1}));
  expect_in(forms.ptx, "same_value_store", 2);
  expect_in(forms.machine_code, "same_value_store", 2);
}

TEST_F(GlobalRaces, NeighboursMayShareAWord) {
  const std::string source =
      "extern \"C\" __global__ void k(const int* in, short* out) {\n"
      "  out[threadIdx.x * gridDim.x + blockIdx.x] = blockIdx.x + in[0];\n}\n";
  expect_clean(source, launch_of(2, 32, {1, 32}));
  const std::string overlap =
      "extern \"C\" __global__ void k(const int* in, short* out) {\n"
      "  out[threadIdx.x + blockIdx.x] = 100 * blockIdx.x + in[0];\n}\n";
  expect_both(overlap, launch_of(2, 32, {1, 32}), "global_race", 2);
}

TEST_F(GlobalRaces, TheFindingNamesBlocksThreadsAndTheBuffer) {
  const LaunchedPoint run =
      check_ptx(head + "  out[threadIdx.x] = blockIdx.x;\n}\n", launch_of(2, 32, {4, 32}));
  const Finding* found = finding_of(run, "global_race");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(says(found->text, "thread 0 of block (0, 0, 0)")) << found->text;
  EXPECT_TRUE(says(found->text, "thread 0 of block (1, 0, 0)")) << found->text;
  EXPECT_TRUE(says(found->text, "byte 0 of 'out'")) << found->text;
  EXPECT_EQ(found->occurrences, 32);
}

}  // namespace
}  // namespace tilescope
