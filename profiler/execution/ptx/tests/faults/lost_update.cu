// A histogram in shared memory. FAULT 1: without atomics, updates of different threads are lost.
extern "C" __global__ void lost_update(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned bins[16];
  const unsigned thread = threadIdx.x;
  if (thread < 16) bins[thread] = 0;
  __syncthreads();
  const unsigned bin = in[thread % count] % 16;
#if FAULT
  bins[bin] = bins[bin] + 1;
#else
  atomicAdd(&bins[bin], 1);
#endif
  __syncthreads();
  if (thread < 16) out[thread] = bins[thread];
}
