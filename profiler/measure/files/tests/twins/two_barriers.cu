// The two sides of a branch have a barrier each, which lanes of one warp reach apart.
extern "C" __global__ void two_barriers_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // fault
    out[threadIdx.x] = row[threadIdx.x] + 1;
  } else {
    __syncthreads();  // fault
    atomicAdd(&out[threadIdx.x], row[threadIdx.x]);
  }
}
extern "C" __global__ void two_barriers_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncwarp(0x55555555u);
    out[threadIdx.x] = row[threadIdx.x] + 1;
  } else {
    __syncwarp(0xaaaaaaaau);
    atomicAdd(&out[threadIdx.x], row[threadIdx.x]);
  }
}
