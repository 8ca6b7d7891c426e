// FAULT 1: a thread reads what a thread of another warp stored, without a barrier between the two.
extern "C" __global__ void missing_barrier(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[128];
  const unsigned thread = threadIdx.x;
  tile[thread] = in[thread % count];
#if !FAULT
  __syncthreads();
#endif
  out[thread] = tile[(thread + 64) % 128];
}
