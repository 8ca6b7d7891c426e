// A lane reduces with a mask that does not name it.
extern "C" __global__ void reduce_outside_mask_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = __reduce_add_sync(0xfffffffeu, v);  // fault
}
extern "C" __global__ void reduce_outside_mask_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = __reduce_add_sync(0xffffffffu, v);
}
