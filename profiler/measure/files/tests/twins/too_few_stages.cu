// Two rounds are loaded ahead: with one barrier a round that needs three stages.
extern "C" __global__ void too_few_stages_faulty(const int* in, int* out) {
  __shared__ int stage[3][64];
  int sum = 0;
  stage[0][threadIdx.x] = in[threadIdx.x];
  stage[1][threadIdx.x] = in[64 + threadIdx.x];
  #pragma unroll 1
  for (int r = 0; r < 4; ++r) {
    __syncthreads();
    sum += stage[r % 2][63 - threadIdx.x];  // fault
    stage[(r + 2) % 2][threadIdx.x] = in[(r + 2) * 64 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void too_few_stages_clean(const int* in, int* out) {
  __shared__ int stage[3][64];
  int sum = 0;
  stage[0][threadIdx.x] = in[threadIdx.x];
  stage[1][threadIdx.x] = in[64 + threadIdx.x];
  #pragma unroll 1
  for (int r = 0; r < 4; ++r) {
    __syncthreads();
    sum += stage[r % 3][63 - threadIdx.x];
    stage[(r + 2) % 3][threadIdx.x] = in[(r + 2) * 64 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
