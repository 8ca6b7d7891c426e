// A loop with a barrier that lanes of a warp leave after different numbers of rounds.
extern "C" __global__ void trip_counts_faulty(const int* in, int* out) {
  __shared__ int row[64];
  int sum = 0, rounds = 2 + threadIdx.x % 3;
  #pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    row[threadIdx.x] = in[threadIdx.x] + r;
    __syncthreads();  // fault
    sum += row[threadIdx.x];
  }
  atomicAdd(&out[threadIdx.x], sum);
}
extern "C" __global__ void trip_counts_clean(const int* in, int* out) {
  __shared__ int row[64];
  int sum = 0, rounds = 2 + blockIdx.x % 3;
  #pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    row[threadIdx.x] = in[threadIdx.x] + r;
    __syncthreads();
    sum += row[threadIdx.x];
  }
  atomicAdd(&out[threadIdx.x], sum);
}
