// FAULT 1: the tile's edge is read and was never written.
extern "C" __global__ void uninitialised_read(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[130];
  const unsigned thread = threadIdx.x;
  tile[thread + 1] = in[thread % count];
#if !FAULT
  if (thread < 2) tile[thread * 129] = 0;
#endif
  __syncthreads();
  out[thread] = tile[thread] + tile[thread + 1] + tile[thread + 2];
}
