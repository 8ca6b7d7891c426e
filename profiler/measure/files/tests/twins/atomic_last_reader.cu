// The thread whose atomic comes last reads a counter to which other threads may still add.
extern "C" __global__ void atomic_last_reader_faulty(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x] + 1);
  if (threadIdx.x == 63) out[0] = count;  // fault
}
extern "C" __global__ void atomic_last_reader_clean(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x] + 1);
  __syncthreads();
  if (threadIdx.x == 63) out[0] = count;
}
