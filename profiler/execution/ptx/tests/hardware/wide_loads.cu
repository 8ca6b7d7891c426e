// Launches one warp's load of 8 or 16 B a lane from shared memory for each line of a list of patterns, for a profiler to
// count: see h200_wide_loads.txt for the list and the commands.

#include <cuda_runtime.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

constexpr int lanes = 32;
constexpr int shared_bytes = 64 << 10;

struct Pattern {
  unsigned bytes, mask;
  unsigned from[lanes];  // [B] from the start of shared memory
};

// Lanes outside the mask skip the load by a branch.
__global__ void load(Pattern pattern) {
  extern __shared__ __align__(1024) char memory[];
  const unsigned lane = threadIdx.x;
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + pattern.from[lane];
  asm volatile(
      "{\n .reg .pred off, narrow;\n .reg .b32 a, b, c, d;\n"
      " setp.eq.u32 off, %1, 0;\n setp.eq.u32 narrow, %2, 8;\n @off bra skip;\n @narrow bra eight;\n"
      " ld.volatile.shared.v4.b32 {a, b, c, d}, [%0];\n bra skip;\n"
      "eight:\n ld.volatile.shared.v2.b32 {a, b}, [%0];\nskip:\n}" ::"r"(from),
      "r"(pattern.mask >> lane & 1), "r"(pattern.bytes)
      : "memory");
}

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::cerr << call << ": " << cudaGetErrorString(error) << '\n';
  std::exit(1);
}

int main(int, char** arguments) {
  require(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
  std::ifstream list(arguments[1]);
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream numbers(line);
    unsigned wavefronts;
    Pattern pattern;
    numbers >> wavefronts >> pattern.bytes >> pattern.mask;
    for (unsigned& offset : pattern.from) numbers >> offset;
    load<<<1, lanes, shared_bytes>>>(pattern);
    require(cudaDeviceSynchronize(), "load");
  }
}
