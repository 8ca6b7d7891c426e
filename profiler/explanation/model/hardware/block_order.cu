// The SMs to which the blocks of a grid go, in the order of the blocks.
//   nvcc -O2 -arch=sm_90 -o block_order block_order.cu && ./block_order > block_order_h200.csv
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int turns = 20000;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

__global__ void note_sm(unsigned* sms, float* sink) {
  extern __shared__ float unused[];
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  float value = threadIdx.x;
  for (int turn = 0; turn < turns; ++turn) value = value * 1.0001f + .5f;
  if (value == 12345.f) *sink = value + unused[0];
  if (threadIdx.x == 0) sms[blockIdx.x] = sm;
}

}  // namespace

int main() {
  constexpr int most_blocks = 1600, warps = 4;
  unsigned* sms;
  float* sink;
  check(cudaMalloc(&sms, most_blocks * sizeof(unsigned)));
  check(cudaMalloc(&sink, sizeof(float)));
  check(cudaFuncSetAttribute(note_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  std::printf("blocks_per_sm,blocks,sm_of_each_block\n");
  for (const int resident : {1, 2, 4, 8, 16}) {
    // Shared memory decides how many blocks an SM of 228 KB holds.
    const int shared = resident == 1 ? 200 << 10 : (220 << 10) / resident - 1536;
    for (const int blocks : {100, 132, 160, 200, 264, 300, 396, 480, 528, 800, 1500}) {
      for (int repeat = 0; repeat < 2; ++repeat) note_sm<<<blocks, warps * 32, shared>>>(sms, sink);
      std::vector<unsigned> host(static_cast<std::size_t>(blocks));
      check(cudaMemcpy(host.data(), sms, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
      std::printf("%d,%d,", resident, blocks);
      for (const unsigned sm : host) std::printf("%u ", sm);
      std::printf("\n");
    }
  }
}
