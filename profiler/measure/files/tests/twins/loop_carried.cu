// Reads of one round meet the writes of the next one, where no barrier ends the round.
extern "C" __global__ void loop_carried_faulty(const int* in, int* out) {
  __shared__ int tile[64];
  int sum = 0;
  #pragma unroll 1
  for (int base = 0; base < 192; base += 64) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    #pragma unroll 1
    for (int i = 0; i < 64; ++i) sum += tile[i] * (i + base);  // fault
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void loop_carried_clean(const int* in, int* out) {
  __shared__ int tile[64];
  int sum = 0;
  #pragma unroll 1
  for (int base = 0; base < 192; base += 64) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    #pragma unroll 1
    for (int i = 0; i < 64; ++i) sum += tile[i] * (i + base);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
