// Compares a result with its float64 reference and looks for rows that a kernel left unwritten, as reference::compare and
// find_poisoned_rows do on the host: a result of 100 MB then need not leave the GPU. Each block writes what it found.

#include "device/element.cuh"
#include "device/reference_problem.cuh"

constexpr int threads = 256;

// The larger difference; of two equal ones the first, which is what a scan in order finds.
__device__ inline WorstElement worse(WorstElement a, WorstElement b) {
  if (a.difference != b.difference) return a.difference > b.difference ? a : b;
  return a.element < b.element ? a : b;
}

__device__ inline unsigned long long difference_bits(double difference) {
  if (difference != difference) return ~0ull;  // NaN is worse than any number
  return static_cast<unsigned long long>(__double_as_longlong(fabs(difference)));
}

extern "C" __global__ __launch_bounds__(threads) void compare_output(const unsigned short* output,
                                                                     const double* expected, const long long* rows,
                                                                     long long elements, int columns, int is_bf16,
                                                                     WorstElement* found) {
  __shared__ WorstElement scratch[threads];
  WorstElement worst{0, 0x7fffffffffffffffll};
  const long long stride = static_cast<long long>(gridDim.x) * threads;
  for (long long i = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; i < elements; i += stride) {
    const long long r = i / columns;
    const unsigned short bits = output[(rows == nullptr ? r : rows[r]) * columns + i % columns];
    const float got = is_bf16 ? to_float(bf16{bits}) : to_float(fp16{bits});
    worst = worse(worst, {difference_bits(static_cast<double>(got) - expected[i]), i});
  }
  scratch[threadIdx.x] = worst;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x] = worse(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    __syncthreads();  // this round is written before the next reads it
  }
  if (threadIdx.x == 0) found[blockIdx.x] = scratch[0];
}

// A warp for each row.
extern "C" __global__ __launch_bounds__(threads) void find_poisoned_rows(const unsigned short* output, long long rows,
                                                                         int columns, PoisonedRows* found) {
  constexpr int warps = threads / 32;
  __shared__ PoisonedRows scratch[warps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  PoisonedRows own{0, 0, 0x7fffffffffffffffll};
  for (long long row = static_cast<long long>(blockIdx.x) * warps + warp; row < rows; row += gridDim.x * warps) {
    int poisoned = 0;
    for (int column = lane; column < columns; column += 32) poisoned += output[row * columns + column] == 0xffff;
    for (int offset = 16; offset > 0; offset /= 2) poisoned += __shfl_xor_sync(0xffffffffu, poisoned, offset);
    if (poisoned == 0) continue;
    if (own.count++ == 0) own.first = row;
    if (poisoned < columns) ++own.in_part;
  }
  if (lane == 0) scratch[warp] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int other = 1; other < warps; ++other) {
    own.count += scratch[other].count;
    own.in_part += scratch[other].in_part;
    if (scratch[other].first < own.first) own.first = scratch[other].first;
  }
  found[blockIdx.x] = own;
}
