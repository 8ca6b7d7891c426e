// A lane shuffles with a mask that does not name it.
extern "C" __global__ void shuffle_outside_mask_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = __shfl_sync(0xfffffffeu, v, 1);  // fault
}
extern "C" __global__ void shuffle_outside_mask_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, v, 1);
}
