// Time of accesses to local memory whose lanes use 1, 4, 16 or 32 lines of their arrays, by loads alone and by a load and a
// store in turns, for several numbers of resident warps. The difference of two lengths leaves out what is done once.
//   nvcc -O2 -arch=sm_90 -o local_lines local_lines.cu && ./local_lines > local_lines_h200.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int words = 64, indices = 1024, most_threads = 132 * 8 * 256, launches = 10, samples = 30;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

// `in` holds random numbers, so that the array has to be in memory.
template <int lines, bool stores>
__global__ void use_array(const int* __restrict__ in, float* __restrict__ out, int turns) {
  float array[words];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, line = threadIdx.x % 32 % lines;
  for (int i = 0; i < words; ++i) array[i] = i * .5f + thread;
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const int at = (in[turn & (indices - 1)] + line) & (words - 1);
    sum += array[at];
    if (stores) array[at] = sum * .25f;
  }
  out[thread] = sum;
}

using Kernel = void (*)(const int*, float*, int);

// [us] A launch, the median of samples of several.
float time_of(Kernel kernel, int blocks, int threads, const int* in, float* out, int turns) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> us;
  for (int sample = 0; sample < samples; ++sample) {
    check(cudaEventRecord(begin));
    for (int launch = 0; launch < launches; ++launch) kernel<<<blocks, threads>>>(in, out, turns);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    us.push_back(ms * 1000 / launches);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

}  // namespace

int main() {
  int* in = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&in, indices * sizeof(int)));
  check(cudaMalloc(&out, most_threads * sizeof(float)));
  std::vector<int> random(indices);
  std::srand(1);
  for (int& value : random) value = std::rand();
  check(cudaMemcpy(in, random.data(), indices * sizeof(int), cudaMemcpyHostToDevice));
  struct Case {
    int lines;
    bool stores;
    Kernel kernel;
  };
  const Case cases[] = {{1, false, use_array<1, false>},   {4, false, use_array<4, false>},
                        {16, false, use_array<16, false>}, {32, false, use_array<32, false>},
                        {1, true, use_array<1, true>},     {4, true, use_array<4, true>},
                        {16, true, use_array<16, true>},   {32, true, use_array<32, true>}};
  const int sizes[][2] = {{132, 32}, {132, 128}, {132, 256}, {264, 256}, {528, 256}, {1056, 256}};
  std::printf("lines,stores,blocks,threads,us_of_512,us_of_1024\n");
  for (const Case& one : cases) {
    for (const auto& [blocks, threads] : sizes) {
      const float half = time_of(one.kernel, blocks, threads, in, out, 512);
      const float whole = time_of(one.kernel, blocks, threads, in, out, 1024);
      std::printf("%d,%d,%d,%d,%.3f,%.3f\n", one.lines, one.stores, blocks, threads, half, whole);
    }
  }
  return 0;
}
