// Code with calls, as ptxas makes it: debug builds, function pointers, printf and assertions. Each kernel is run as the
// optimised build and as the debug build, which must agree.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::sass {
namespace {

constexpr int threads = 64;

const std::string source = R"(
typedef float (*function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float minus(float x) { return -x; }
__device__ function table[3] = {twice, square, minus};
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int drawn;
__device__ __noinline__ void swap(int* a, int* b) { int t = *a; *a = *b; *b = t; }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float side; __device__ float area() const override { return side * side; } };
struct Line : Shape { float length; __device__ float area() const override { return 0.5f * length; } };

extern "C" __global__ void pointers(float* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x) + weights[threadIdx.x & 3]; }
extern "C" __global__ void one_pointer(float* out) { out[threadIdx.x] = table[blockDim.x % 3](threadIdx.x); }
extern "C" __global__ void shapes(float* out) {
  Square square; Line line;
  square.side = threadIdx.x; line.length = threadIdx.x;
  Shape* shape = threadIdx.x & 1 ? (Shape*)&square : (Shape*)&line;
  out[threadIdx.x] = shape->area();
}
extern "C" __global__ void sorted(int* out) {
  int values[6];
  for (int i = 0; i < 6; ++i) values[i] = (threadIdx.x * 7 + i * 5) % 13;
  for (int i = 0; i < 6; ++i) for (int j = i + 1; j < 6; ++j) if (values[i] > values[j]) swap(&values[i], &values[j]);
  out[threadIdx.x] = values[0] * 100 + values[5];
}
extern "C" __global__ void recursive(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 9); }
extern "C" __global__ void tables(int* out) {
  switch (blockDim.x >> 4) {
    case 0: out[threadIdx.x] = 3; break;
    case 1: out[threadIdx.x] = threadIdx.x * 5; break;
    case 2: out[threadIdx.x] = __popc(threadIdx.x); break;
    case 3: out[threadIdx.x] = __clz(threadIdx.x); break;
    case 4: for (unsigned k = 0; k < threadIdx.x; ++k) out[threadIdx.x] += k; break;
    case 5: out[threadIdx.x] = 9; break;
    default: return;
  }
  out[threadIdx.x] += 1;
}
extern "C" __global__ void atomics(float* out) {
  __shared__ float sum[2];
  __shared__ unsigned long long wide;
  if (threadIdx.x < 2) sum[threadIdx.x] = 0, wide = 0;
  __syncthreads();
  float* place = threadIdx.x & 1 ? &sum[threadIdx.x >> 5] : &out[0];
  atomicAdd(place, 1.0f);
  atomicAdd(&wide, 3ull);
  atomicAdd(&drawn, 1);
  __syncthreads();
  if (threadIdx.x > 0) out[threadIdx.x] = sum[threadIdx.x >> 5] + (float)wide + drawn;
}
extern "C" __global__ void ends(int* out) {
  if (threadIdx.x >= 50) return;
  int value = threadIdx.x * 7 % 11;
  if (value < 3 || value > 8) out[threadIdx.x] = 7;
}
extern "C" __global__ void says(int* out) {
  if (threadIdx.x % 16 == 3) out[threadIdx.x] = printf("%d: %5.2f %s %lld\n", threadIdx.x, threadIdx.x / 4.0f, "end", 1ll << 40);
}
extern "C" __global__ void waits(int* out) { while (*(volatile int*)out == 0) {} }
extern "C" __global__ void allocates(int* out) { int* p = (int*)malloc(4); *p = 1; out[0] = *p; free(p); }
)";

struct Ran {
  simt::RunResult result;
  std::vector<std::uint32_t> out;
};

class CalledCode : public ::testing::TestWithParam<const char*> {
 protected:
  CalledCode() { setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1); }

  static simt::Program program(const std::string& kernel, bool is_debug) {
    std::vector<std::string> options = {std::string("--gpu-architecture=") + GetParam(), "--std=c++17"};
    if (is_debug) options.emplace_back("--device-debug");
    const std::vector<char> cubin = Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
                                        .compile("test.cu", source, {}, options)
                                        .cubin;
    const Disassembler nvdisasm = Disassembler::find({"", find_installation().dependencies, ""});
    return build_program(read_cubin(cubin), nvdisasm.disassemble(cubin), kernel);
  }
  static Ran run(const std::string& kernel, bool is_debug) {
    const simt::Program code = program(kernel, is_debug);
    simt::GlobalMemory memory;
    simt::Launch launch;
    launch.block.x = threads;
    const std::uint64_t address = memory.allocate("out", 4 * threads);
    launch.parameters.resize(sizeof address);
    std::memcpy(launch.parameters.data(), &address, sizeof address);
    simt::RunOptions options;
    options.instructions_per_block = 20'000'000;
    Ran ran{simt::run(code, launch, memory, options), std::vector<std::uint32_t>(threads)};
    std::memcpy(ran.out.data(), memory.find(address, 4)->data, 4 * threads);
    return ran;
  }
};

TEST_P(CalledCode, DebugBuildsGiveWhatOptimisedOnesGive) {
  for (const char* kernel :
       {"pointers", "one_pointer", "shapes", "sorted", "recursive", "tables", "atomics", "ends"}) {
    SCOPED_TRACE(kernel);
    const Ran optimised = run(kernel, false), debug = run(kernel, true);
    ASSERT_FALSE(optimised.result.fault) << optimised.result.fault->text;
    ASSERT_FALSE(debug.result.fault) << debug.result.fault->text;
    EXPECT_EQ(optimised.out, debug.out);
    EXPECT_GT(debug.result.warp_instructions, optimised.result.warp_instructions);
  }
}

TEST_P(CalledCode, HasTheRightValues) {
  const Ran sorted = run("sorted", true), ends = run("ends", false), recursive = run("recursive", true);
  EXPECT_EQ(sorted.out[0], 12u) << "0 5 10 2 7 12";
  EXPECT_EQ(recursive.out[8], 21u);
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned value = t * 7 % 11;
    EXPECT_EQ(ends.out[t], t < 50 && (value < 3 || value > 8) ? 7u : 0u) << t;
  }
}

TEST_P(CalledCode, PrintfIsFormatted) {
  for (const bool is_debug : {false, true}) {
    const Ran ran = run("says", is_debug);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    ASSERT_EQ(ran.result.printed.size(), 4u);
    EXPECT_EQ(ran.result.printed[0].text, "3:  0.75 end 1099511627776\n");
    EXPECT_EQ(ran.result.printed[3].text, "51: 12.75 end 1099511627776\n");
    EXPECT_EQ(ran.result.printed[3].thread, 51u);
    EXPECT_EQ(ran.out[3], 4u) << "the number of its arguments";
    EXPECT_EQ(ran.out[4], 0u);
  }
}

TEST_P(CalledCode, AKernelThatWaitsForAValueThatNobodyWritesIsALivelock) {
  const Ran ran = run("waits", false);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, simt::FaultKind::livelock) << ran.result.fault->text;
  EXPECT_NE(ran.result.fault->text.find("byte 0 of 'out' (4 bytes, now 0)"), std::string::npos)
      << ran.result.fault->text;
}

TEST_P(CalledCode, MemoryOfTheDeviceHeapIsRefused) {
  try {
    program("allocates", false);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("memory that a kernel allocates itself"), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CalledCode, ::testing::Values("sm_80", "sm_89", "sm_90"),
                         [](const auto& architecture) { return std::string(architecture.param); });

}  // namespace
}  // namespace tilescope::sass
