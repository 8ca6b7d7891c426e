// How the equal blocks of a kernel with memory and barriers end on an SM, and how many each SM gets: flash_scalar of the ladder.
//   nvcc -O3 -arch=sm_90a -I ../../../../kernels -DBLOCK_M=32 -DBLOCK_N=64 -DNUM_WARPS=8 -DVEC_WIDTH=8 -DREDUCE=shuffle
//     -DSMEM_LAYOUT=xor_swizzle -DSYNC_POLICY=light -DDTYPE=fp16 -DHEAD_DIM=64 -DCAUSAL=0 -o block_ends block_ends.cu
//   ./block_ends > block_ends_h200.csv
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// The kernel becomes a function that another kernel calls.
#undef __global__
#define __global__ __device__
#undef __launch_bounds__
#define __launch_bounds__(threads)
#include "attention/flash_scalar.cu"
#undef __global__
#define __global__ __location__(global)
#undef __launch_bounds__
#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))

namespace {

constexpr int queries = 1024, most_blocks = 2048;

struct Run {
  unsigned sm = 0;
  unsigned long long start = 0, end = 0;  // [ns]
};

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void __launch_bounds__(threads) noted(AttentionProblem problem, Run* runs) {
  Run run;
  run.start = now();
  flash_scalar(problem);
  __syncthreads();
  asm volatile("mov.u32 %0, %%smid;" : "=r"(run.sm));
  run.end = now();
  if (threadIdx.x == 0) runs[blockIdx.x + gridDim.x * blockIdx.y] = run;
}

AttentionProblem problem_of(int heads, Element* tensor) {
  AttentionProblem problem{};
  const long long elements = 1LL * heads * queries * HEAD_DIM;
  problem.q = tensor;
  problem.k = tensor + elements;
  problem.v = tensor + 2 * elements;
  problem.o = tensor + 3 * elements;
  const TensorStrides strides{elements, 1LL * queries * HEAD_DIM, HEAD_DIM};
  problem.q_strides = problem.k_strides = problem.v_strides = problem.o_strides = strides;
  problem.batches = 1;
  problem.query_heads = problem.key_heads = heads;
  problem.queries = problem.keys = queries;
  problem.softmax_scale = 0.125f;
  return problem;
}

void print(int heads, int blocks, float us, const std::vector<Run>& runs) {
  std::vector<int> of_sm(256, 0);
  unsigned long long first = runs[0].start;
  for (int i = 0; i < blocks; ++i) {
    ++of_sm[runs[i].sm];
    if (runs[i].start < first) first = runs[i].start;
  }
  std::printf("%d,%d,%.1f,", heads, blocks, us);
  for (int count = 1; count <= most_blocks; ++count) {
    int sms = 0;
    for (const int held : of_sm) sms += held == count;
    if (sms > 0) std::printf("%d on %d SMs ", count, sms);
  }
  std::printf(",");
  for (int i = 0; i < blocks; ++i) {
    if (runs[i].sm == 0) std::printf("%.0f-%.0f ", (runs[i].start - first) / 1e3, (runs[i].end - first) / 1e3);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  constexpr int shared = 6 * HEAD_DIM * BLOCK_M + 8 * BLOCK_M + 4 * BLOCK_N * HEAD_DIM;
  const std::size_t elements = 4ULL * 40 * queries * HEAD_DIM;
  std::vector<unsigned short> random(elements);
  for (unsigned short& bits : random) bits = static_cast<unsigned short>(0x2c00 + std::rand() % 1024);
  Element* tensor;
  Run* runs;
  check(cudaMalloc(&tensor, elements * sizeof(Element)));
  check(cudaMemcpy(tensor, random.data(), elements * sizeof(Element), cudaMemcpyHostToDevice));
  check(cudaMalloc(&runs, most_blocks * sizeof(Run)));
  check(cudaFuncSetAttribute(noted, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::printf("heads,blocks,us,blocks_per_sm,start_and_end_on_sm_0_us\n");
  for (const int heads : {24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 36, 38, 40}) {
    const dim3 grid(queries / BLOCK_M, heads);
    constexpr int launches = 20;
    for (int warm = 0; warm < 5; ++warm) noted<<<grid, threads, shared>>>(problem_of(heads, tensor), runs);
    check(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) noted<<<grid, threads, shared>>>(problem_of(heads, tensor), runs);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, begin, end));
    const int blocks = static_cast<int>(grid.x * grid.y);
    std::vector<Run> host(static_cast<std::size_t>(blocks));
    check(cudaMemcpy(host.data(), runs, host.size() * sizeof(Run), cudaMemcpyDeviceToHost));
    print(heads, blocks, ms * 1e3f / launches, host);
  }
}
