// The last steps of a sum in one warp: volatile keeps the accesses, but orders no lanes.
extern "C" __global__ void volatile_warp_sum_faulty(const int* in, int* out) {
  __shared__ int part[64];
  volatile int* p = part;
  int t = threadIdx.x;
  p[t] = in[t] + t;
  p[t + 32] = in[t + 32];
  #pragma unroll 1
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) p[t] = p[t] + p[t + step];  // fault
  }
  out[t] = p[0];
}
extern "C" __global__ void volatile_warp_sum_clean(const int* in, int* out) {
  __shared__ int part[64];
  volatile int* p = part;
  int t = threadIdx.x;
  p[t] = in[t] + t;
  p[t + 32] = in[t + 32];
  __syncwarp();
  #pragma unroll 1
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) p[t] = p[t] + p[t + step];
    __syncwarp();
  }
  out[t] = p[0];
}
