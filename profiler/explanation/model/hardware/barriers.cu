// The cycles that a block barrier costs in a loop: alone, behind a store to shared memory, before a load from it, and with arithmetic
// behind it, which an H200 issues while the barrier waits (BAR.SYNC.DEFER_BLOCKING).
//   nvcc -O3 -arch=sm_90 -o barriers barriers.cu && ./barriers > barriers_h200.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

enum class Work { none, store, load, fma_16, fma_32, fma_64, add_16, add_32, add_64, fma_64_load };
constexpr const char* names[] = {"none",   "store",  "load",   "fma_16", "fma_32",
                                 "fma_64", "add_16", "add_32", "add_64", "fma_64_load"};

__host__ __device__ constexpr int multiply_adds(Work work) {
  if (work == Work::fma_16) return 16;
  if (work == Work::fma_32) return 32;
  return work == Work::fma_64 || work == Work::fma_64_load ? 64 : 0;
}
__host__ __device__ constexpr int additions(Work work) {
  if (work == Work::add_16) return 16;
  if (work == Work::add_32) return 32;
  return work == Work::add_64 ? 64 : 0;
}
__host__ __device__ constexpr bool loads(Work work) {
  return work == Work::load || work == Work::fma_64_load;
}

template <Work work, bool has_barrier>
__global__ void rounds(int turns, float x, float y, int n, float* out) {
  __shared__ volatile float shared[1024];
  shared[threadIdx.x] = 1;
  __syncthreads();
  float a[4] = {float(threadIdx.x), 1, 2, 3};
  int b[4] = {int(threadIdx.x), 1, 2, 3}, at = threadIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int round = 0; round < 4; ++round) {
      if (work == Work::store) shared[threadIdx.x] = a[0];
      if (has_barrier) asm volatile("bar.sync 0;");
#pragma unroll
      for (int i = 0; i < multiply_adds(work); ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[i % 4]) : "f"(x), "f"(y));
#pragma unroll
      for (int i = 0; i < additions(work); ++i) asm volatile("add.s32 %0, %0, %1;" : "+r"(b[i % 4]) : "r"(n));
      // The next address depends on the value.
      if (loads(work)) at = (at + int(shared[at])) & 127;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3] + at;
}

template <Work work, bool has_barrier>
double cycles_of_round(int threads, float* out) {
  constexpr int repetitions = 6;
  int sms = 0, khz = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto least = [&](int turns) {
    float ms = 1e9;
    for (int i = 0; i < repetitions; ++i) {
      check(cudaEventRecord(begin));
      rounds<work, has_barrier><<<sms, threads>>>(turns, 1.5f, 1.f, 3, out);
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float taken = 0;
      check(cudaEventElapsedTime(&taken, begin, end));
      ms = std::min(ms, taken);
    }
    return ms;
  };
  const float longer = least(1600), shorter = least(400);
  return (longer - shorter) * khz / (1200 * 4);
}

template <Work work>
void print(float* out) {
  for (const int threads : {32, 128, 256, 512})
    std::printf("%s,%d,%.2f,%.2f\n", names[static_cast<int>(work)], threads,
                cycles_of_round<work, true>(threads, out), cycles_of_round<work, false>(threads, out));
}

}  // namespace

int main() {
  float* out;
  check(cudaMalloc(&out, 1 << 20));
  std::printf("work_of_round,threads,cycles_with_barrier,cycles_without\n");
  print<Work::none>(out);
  print<Work::store>(out);
  print<Work::load>(out);
  print<Work::fma_16>(out);
  print<Work::fma_32>(out);
  print<Work::fma_64>(out);
  print<Work::add_16>(out);
  print<Work::add_32>(out);
  print<Work::add_64>(out);
  print<Work::fma_64_load>(out);
}
