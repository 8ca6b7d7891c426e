// A shuffle reads from a lane that has returned.
extern "C" __global__ void shuffle_exited_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  if (threadIdx.x >= 20) return;
  v += __shfl_sync(0x000fffffu, v, 25);  // fault
  out[threadIdx.x] = v;
}
extern "C" __global__ void shuffle_exited_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  if (threadIdx.x >= 20) return;
  v += __shfl_sync(0x000fffffu, v, 19);
  out[threadIdx.x] = v;
}
