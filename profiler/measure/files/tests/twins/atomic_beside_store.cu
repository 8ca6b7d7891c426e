// A counter is set to zero by a plain store beside the atomics of other threads.
extern "C" __global__ void atomic_beside_store_faulty(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, in[threadIdx.x] + 1);  // fault
  __syncthreads();
  out[threadIdx.x] = count;
}
extern "C" __global__ void atomic_beside_store_clean(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x] + 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
