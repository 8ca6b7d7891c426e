// FAULT 1: an index that is half as wide as it should be lets two threads store different values in one place.
extern "C" __global__ void wrong_index(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[128];
  const unsigned thread = threadIdx.x;
  tile[FAULT ? thread / 2 : thread] = in[thread % count] + thread;
  __syncthreads();
  out[thread] = tile[thread / 2];
}
