// When the warps of three equal blocks that share an SM end: the older block is served first, its warps alike.
//   nvcc -O3 -arch=sm_90 -o warp_order warp_order.cu && ./warp_order > warp_order_h200.csv
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int threads = 256, warps = threads / 32;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

struct Run {
  unsigned sm, quarter;
  long long start, end;
};

enum class Work { multiply_add, chain, shared_loads, sine, products, loads_and_barriers };
constexpr const char* names[] = {"multiply_add", "chain",    "shared_loads",
                                 "sine",         "products", "loads_and_barriers"};

template <Work work>
__device__ float turn(int i, float a, float b, volatile float* shared) {
  if constexpr (work == Work::multiply_add) {
    float of[8] = {a, b, a + 1, b + 1, a + 2, b + 2, a + 3, b + 3};
#pragma unroll
    for (int j = 0; j < 128; ++j) of[j % 8] = of[j % 8] * b + 1;
    return of[0] + of[1] + of[2] + of[3] + of[4] + of[5] + of[6] + of[7];
  }
  if constexpr (work == Work::chain) {
#pragma unroll
    for (int j = 0; j < 64; ++j) a = a * b + 1;
  }
  if constexpr (work == Work::shared_loads) {
#pragma unroll
    for (int j = 0; j < 16; ++j) a += shared[(threadIdx.x * 4 + j * 32 + i) % 4096];
  }
  if constexpr (work == Work::sine) {
    float of[4] = {a, b, a + 1, b + 1};
#pragma unroll
    for (int j = 0; j < 32; ++j) of[j % 4] = __sinf(of[j % 4]);
    return of[0] + of[1] + of[2] + of[3];
  }
  if constexpr (work == Work::products) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> first, second;
    fill_fragment(left, __float2half(a));
    fill_fragment(right, __float2half(b));
    fill_fragment(first, 0.f);
    fill_fragment(second, 0.f);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      mma_sync(first, left, right, first);
      mma_sync(second, left, right, second);
    }
    return first.x[0] + second.x[1];
  }
  if constexpr (work == Work::loads_and_barriers) {
#pragma unroll
    for (int j = 0; j < 32; ++j) a = a * shared[(threadIdx.x + j / 8 * 32 + i) % 4096] + 1;
    __syncthreads();
  }
  return a;
}

template <Work work>
__global__ void run(int turns, float b, float* out, Run* runs) {
  __shared__ float shared[4096];
  for (int i = threadIdx.x; i < 4096; i += threads) shared[i] = i % 32;
  __syncthreads();
  Run own;
  own.start = clock64();
  float a = threadIdx.x;
  for (int i = 0; i < turns; ++i) a = turn<work>(i, a, b, shared);
  own.end = clock64();
  asm volatile("mov.u32 %0, %%smid;" : "=r"(own.sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(own.quarter));
  own.quarter %= 4;
  out[blockIdx.x * threads + threadIdx.x] = a;
  if (threadIdx.x % 32 == 0) runs[blockIdx.x * warps + threadIdx.x / 32] = own;
}

template <Work work>
void print(int turns) {
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  for (const int blocks_of_sm : {1, 3}) {
    const int blocks = sms * blocks_of_sm;
    float* out;
    Run* runs;
    check(cudaMalloc(&out, sizeof(float) * blocks * threads));
    check(cudaMallocManaged(&runs, sizeof(Run) * blocks * warps));
    for (int i = 0; i < 2; ++i) {
      run<work><<<blocks, threads>>>(turns, 1.5f, out, runs);
      check(cudaDeviceSynchronize());
    }
    const unsigned sm = runs[0].sm;
    long long first = runs[0].start;
    for (int i = 0; i < blocks * warps; ++i)
      if (runs[i].sm == sm) first = std::min(first, runs[i].start);
    for (int i = 0; i < blocks * warps; ++i)
      if (runs[i].sm == sm)
        std::printf("%s,%d,%d,%d,%u,%lld,%lld\n", names[static_cast<int>(work)], blocks_of_sm, i / warps,
                    i % warps, runs[i].quarter, runs[i].start - first, runs[i].end - first);
    check(cudaFree(out));
    check(cudaFree(runs));
  }
}

}  // namespace

int main() {
  std::printf("work,blocks_of_sm,block,warp,quarter,start_cycle,end_cycle\n");
  print<Work::multiply_add>(50);
  print<Work::chain>(50);
  print<Work::shared_loads>(50);
  print<Work::sine>(40);
  print<Work::products>(100);
  print<Work::loads_and_barriers>(100);
}
