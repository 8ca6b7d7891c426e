// Neighbouring bytes of a word belong to different threads: no race while each writes its own byte.
extern "C" __global__ void byte_neighbours_faulty(const int* in, int* out) {
  __shared__ unsigned char flag[64];
  flag[threadIdx.x % 48] = threadIdx.x + in[threadIdx.x];  // fault
  __syncthreads();
  out[threadIdx.x] = flag[threadIdx.x % 48];
}
extern "C" __global__ void byte_neighbours_clean(const int* in, int* out) {
  __shared__ unsigned char flag[64];
  flag[threadIdx.x] = threadIdx.x + in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = flag[threadIdx.x];
}
