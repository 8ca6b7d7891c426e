// Cycles that L1 takes for a load of a warp whose lanes lie a stride apart, when it has all the lines: eight warps of one SM
// load the same lines again and again.
//   nvcc -O2 -arch=sm_90 -o l1_loads l1_loads.cu && ./l1_loads > l1_loads_h200.csv
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 256, turns = 64, loads = 8;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <class Word>
__device__ Word load(const float* from);
template <>
__device__ float load<float>(const float* from) {
  float value;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
template <>
__device__ float2 load<float2>(const float* from) {
  float2 value;
  asm volatile("ld.global.ca.v2.f32 {%0,%1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from));
  return value;
}
__device__ float sum(float value) { return value; }
__device__ float sum(float2 value) { return value.x + value.y; }

// `step` is 0, which the compiler does not know: it would load once.
template <class Word>
__global__ void load_lines(const float* in, int stride, long long step, float* out, long long* cycles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* from = in + lane * stride + warp * 32 * 4 * 17;
  float total = sum(load<Word>(from));
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    float of_load[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i, from += step) of_load[i] = sum(load<Word>(from));
#pragma unroll
    for (int i = 0; i < loads; ++i) total += of_load[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  out[threadIdx.x] = total;
}

template <class Word>
void time_loads(const float* in, int stride, float* out, long long* cycles) {
  long long best = 1LL << 60;
  for (int repeat = 0; repeat < 3; ++repeat) {
    load_lines<Word><<<1, threads>>>(in, stride, 0, out, cycles);
    long long taken = 0;
    check(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    best = taken < best ? taken : best;
  }
  std::printf("%d,%d,%.2f\n", static_cast<int>(sizeof(Word)), stride,
              static_cast<double>(best) / (turns * loads * threads / 32));
}

}  // namespace

int main() {
  float *in, *out;
  long long* cycles;
  check(cudaMalloc(&in, 1 << 20));
  check(cudaMemset(in, 0, 1 << 20));
  check(cudaMalloc(&out, threads * sizeof(float)));
  check(cudaMalloc(&cycles, sizeof(long long)));
  std::printf("lane_bytes,stride_floats,cycles\n");
  for (const int stride : {1,  2,  4,  8,  16,  31,  32,  33,  34,  36,  40,  48,  50,  64,  65,  68,
                           80, 96, 100, 128, 129, 132, 160, 192, 256, 257, 260, 300, 304, 512, 1023, 1999})
    time_loads<float>(in, stride, out, cycles);
  for (const int stride : {2, 4, 6, 8, 10, 12, 16, 18, 20, 24, 32, 34, 40, 48, 64, 66, 96, 128, 130})
    time_loads<float2>(in, stride, out, cycles);
}
