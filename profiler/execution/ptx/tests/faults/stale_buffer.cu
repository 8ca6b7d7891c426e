// FAULT 1: the second barrier of a loop is missing: a fast warp overwrites the tile while a slow one still reads it.
extern "C" __global__ void stale_buffer(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[128];
  const unsigned thread = threadIdx.x;
  unsigned sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    tile[thread] = in[(thread + 128 * round) % count];
    __syncthreads();
    sum += tile[(thread + 33) % 128];
#if !FAULT
    __syncthreads();
#endif
  }
  out[thread] = sum;
}
