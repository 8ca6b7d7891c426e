// A shuffle in a branch reads from a lane that did not take the branch.
extern "C" __global__ void shuffle_inactive_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, 20);  // fault
  out[threadIdx.x] = v;
}
extern "C" __global__ void shuffle_inactive_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, 12);
  out[threadIdx.x] = v;
}
