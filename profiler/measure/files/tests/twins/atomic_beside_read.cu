// A counter is read while other warps still add to it.
extern "C" __global__ void atomic_beside_read_faulty(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x] + 1);
  out[threadIdx.x] = count;  // fault
}
extern "C" __global__ void atomic_beside_read_clean(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x] + 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
