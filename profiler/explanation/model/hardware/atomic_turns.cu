// How long atomic additions of a whole GPU take for each warp instruction, by the addresses that the lanes of a warp use.
//   nvcc -O3 -arch=sm_90 -o atomic_turns atomic_turns.cu && ./atomic_turns > atomic_turns_h200.csv
// turns_of_warp: the mean over warps of the sum over the warp's sectors of the most lanes that use the same word.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

constexpr unsigned operations = 1u << 20;
constexpr int lanes = 32, blocks = 264, threads = 256, launches = 5, repetitions = 5;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

// The word of an operation: hashed among `many`, in order, or in order with `group` neighbours on the same word.
enum class Order { hashed, in_order };

struct Pattern {
  Order order;
  unsigned many, stride, group;  // [words] stride
};

__host__ __device__ unsigned word_of(const Pattern& pattern, unsigned i) {
  const unsigned number = pattern.order == Order::hashed ? i * 2654435761u >> 12 : i / pattern.group;
  return number % pattern.many * pattern.stride;
}

template <class Value>
__global__ void add(Value* out, Pattern pattern) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < operations; i += gridDim.x * blockDim.x)
    atomicAdd(&out[word_of(pattern, i)], Value(1));
}

double turns_of_warp(const Pattern& pattern) {
  constexpr unsigned warps = 2048;
  double turns = 0;
  for (unsigned warp = 0; warp < warps; ++warp) {
    std::map<unsigned, int> words, sectors;
    for (int lane = 0; lane < lanes; ++lane) ++words[word_of(pattern, warp * lanes + lane)];
    for (const auto& [word, count] : words) sectors[word / 8] = std::max(sectors[word / 8], count);
    for (const auto& [sector, count] : sectors) turns += count;
  }
  return turns / warps;
}

template <class Value>
void time_pattern(const char* type, Value* out, const Pattern& pattern) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float least = 0;
  for (int i = 0; i <= repetitions; ++i) {
    check(cudaEventRecord(begin));
    for (int launch = 0; launch < launches; ++launch) add<<<blocks, threads>>>(out, pattern);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i == 1 || (i > 1 && ms < least)) least = ms;
  }
  int khz = 0;
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  const double cycles = least / launches * khz / (operations / lanes);
  std::printf("%s,%s,%u,%u,%u,%.2f,%.2f\n", type, pattern.order == Order::hashed ? "hashed" : "in_order",
              pattern.many, pattern.stride, pattern.group, turns_of_warp(pattern), cycles);
}

}  // namespace

int main() {
  void* memory;
  check(cudaMalloc(&memory, 1 << 24));
  check(cudaMemset(memory, 0, 1 << 24));
  auto* const integers = static_cast<unsigned*>(memory);
  auto* const floats = static_cast<float*>(memory);
  std::printf("type,order,words,stride_words,group,turns_of_warp,cycles_of_warp\n");
  for (const unsigned many :
       {1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 50, 56, 64, 80, 96, 128, 192, 256, 512, 4096})
    time_pattern("u32", integers, {Order::hashed, many, 1, 1});
  for (const unsigned stride : {8, 32, 256})
    for (const unsigned many : {2, 4, 8, 16, 32, 64, 128, 512, 4096})
      time_pattern("u32", integers, {Order::hashed, many, stride, 1});
  for (const unsigned group : {1, 2, 4, 8, 16, 32})
    for (const unsigned many : {8, 16, 50, 64, 128, 1024})
      time_pattern("u32", integers, {Order::in_order, many, 1, group});
  for (const unsigned many : {1, 8, 16, 32, 50, 64, 256, 4096})
    time_pattern("f32", floats, {Order::hashed, many, 1, 1});
}
