// A counter in global memory is set to zero by a plain store beside the atomics of other threads.
extern "C" __global__ void counter_reset_faulty(const int* in, int* out) {
  if (threadIdx.x == 0) out[0] = 0;
  atomicAdd(out, in[threadIdx.x] + 1);  // fault
}
extern "C" __global__ void counter_reset_clean(const int* in, int* out) {
  if (threadIdx.x == 0) out[0] = 0;
  __syncthreads();
  atomicAdd(out, in[threadIdx.x] + 1);
}
