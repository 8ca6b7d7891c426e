// The first round reads what the round before it should have stored.
extern "C" __global__ void first_round_faulty(const int* in, int* out) {
  __shared__ int before[64];
  int sum = 0;
  #pragma unroll 1
  for (int r = 0; r < 4; ++r) {
    __syncthreads();
    sum += before[63 - threadIdx.x];  // fault
    __syncthreads();
    before[threadIdx.x] = in[r * 64 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void first_round_clean(const int* in, int* out) {
  __shared__ int before[64];
  int sum = 0;
  before[threadIdx.x] = 0;
  #pragma unroll 1
  for (int r = 0; r < 4; ++r) {
    __syncthreads();
    sum += before[63 - threadIdx.x];
    __syncthreads();
    before[threadIdx.x] = in[r * 64 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
