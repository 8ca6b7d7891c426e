// Launches one warp's cp.async.cg for each line of a list of patterns, for a profiler to count: see h200_copies_past_l1.txt
// for the list and the commands.

#include <cuda_runtime.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

constexpr int lanes = 32;
constexpr int shared_bytes = 64 << 10, global_bytes = 1 << 20;

struct Pattern {
  unsigned mask;
  unsigned to[lanes], from[lanes];  // [B] from the start of shared and global memory
};

__global__ void copy(Pattern pattern, const char* source) {
  extern __shared__ __align__(1024) char memory[];
  const unsigned lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + pattern.to[lane];
  if (pattern.mask >> lane & 1) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source + pattern.from[lane]) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::cerr << call << ": " << cudaGetErrorString(error) << '\n';
  std::exit(1);
}

int main(int, char** arguments) {
  char* source = nullptr;
  require(cudaMalloc(&source, global_bytes), "cudaMalloc");
  require(cudaMemset(source, 0, global_bytes), "cudaMemset");
  require(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
  std::ifstream list(arguments[1]);
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream numbers(line);
    unsigned wavefronts;
    Pattern pattern;
    numbers >> wavefronts >> pattern.mask;
    for (unsigned& offset : pattern.to) numbers >> offset;
    for (unsigned& offset : pattern.from) numbers >> offset;
    copy<<<1, lanes, shared_bytes>>>(pattern, source);
    require(cudaDeviceSynchronize(), "copy");
  }
}
