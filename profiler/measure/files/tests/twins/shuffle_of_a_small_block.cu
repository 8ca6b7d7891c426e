// A sum down a warp in a block of 24 threads: lanes 24 to 31 do not exist.
extern "C" __global__ void shuffle_of_a_small_block_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d, 32);  // fault
  out[threadIdx.x] = v;
}
extern "C" __global__ void shuffle_of_a_small_block_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  for (int d = 4; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d, 8);
  out[threadIdx.x] = v;
}
