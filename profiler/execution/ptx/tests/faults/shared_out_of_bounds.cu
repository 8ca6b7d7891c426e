// FAULT 1: the last threads store behind the end of the block's shared memory.
extern "C" __global__ void shared_out_of_bounds(const unsigned* in, unsigned* out, unsigned count) {
  extern __shared__ unsigned tile[];  // 128 words
  const unsigned thread = threadIdx.x;
  tile[thread] = in[thread % count];
  __syncthreads();
  tile[thread + (FAULT && thread >= 120 ? 300 * 256 : 0)] += 1;
  __syncthreads();
  out[thread] = tile[127 - thread];
}
