// Segments of eight in a block of 12 threads, of which the second is cut; segments of four are whole.
extern "C" __global__ void shuffle_segments_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  for (int d = 4; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, 8);  // fault
  out[threadIdx.x] = v;
}
extern "C" __global__ void shuffle_segments_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  for (int d = 2; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, 4);
  out[threadIdx.x] = v;
}
