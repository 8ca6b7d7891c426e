// Launches one warp's cp.async.cg, of which some lanes copy zeros, for each line of a list of patterns, for a profiler to
// count: see h200_copies_with_zeros.txt for the list and the commands.

#include <cuda_runtime.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

constexpr int lanes = 32;
constexpr int shared_bytes = 64 << 10, global_bytes = 1 << 20;

struct Pattern {
  unsigned mask, reading;
  unsigned to[lanes], from[lanes];  // [B] from the start of shared and global memory
};

// Lanes outside the mask skip the copy by a branch. The predicate `keep` is live throughout, so that the predicate of the
// copy is another register than P0, which Nsight Compute 2025.3.1 takes as false (cuobjdump -sass shows the register).
__global__ void copy(Pattern pattern, const char* source, unsigned* kept) {
  extern __shared__ __align__(1024) char memory[];
  const unsigned lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + pattern.to[lane];
  const unsigned bytes = (pattern.reading >> lane & 1) * 16;
  asm volatile(
      "{\n .reg .pred keep, off;\n"
      " setp.eq.u32 keep, %3, 77;\n setp.eq.u32 off, %5, 0;\n"
      " @keep st.global.u32 [%4], %0;\n @off bra skip;\n"
      " cp.async.cg.shared.global [%0], [%1], 16, %2;\n"
      "skip:\n @keep st.global.u32 [%4+4], %0;\n}" ::"r"(to),
      "l"(source + pattern.from[lane]), "r"(bytes), "r"(lane), "l"(kept), "r"(pattern.mask >> lane & 1)
      : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
}

void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::cerr << call << ": " << cudaGetErrorString(error) << '\n';
  std::exit(1);
}

int main(int, char** arguments) {
  char* source = nullptr;
  unsigned* kept = nullptr;
  require(cudaMalloc(&source, global_bytes), "cudaMalloc");
  require(cudaMemset(source, 0, global_bytes), "cudaMemset");
  require(cudaMalloc(&kept, 2 * sizeof(unsigned)), "cudaMalloc");
  require(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
  std::ifstream list(arguments[1]);
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream numbers(line);
    unsigned wavefronts, sectors;
    Pattern pattern;
    numbers >> wavefronts >> sectors >> pattern.mask >> pattern.reading;
    for (unsigned& offset : pattern.to) numbers >> offset;
    for (unsigned& offset : pattern.from) numbers >> offset;
    copy<<<1, lanes, shared_bytes>>>(pattern, source, kept);
    require(cudaDeviceSynchronize(), "copy");
  }
}
