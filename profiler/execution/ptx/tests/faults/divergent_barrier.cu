// FAULT 1: the barrier stands in a branch that half of the lanes of each warp take.
extern "C" __global__ void divergent_barrier(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[64];
  const unsigned thread = threadIdx.x;
  tile[thread] = in[thread % count];
  unsigned value = thread;
  if (!FAULT || thread % 2 == 0) {
    __syncthreads();
    value = tile[thread ^ 2];
  }
  out[thread] = value;
}
