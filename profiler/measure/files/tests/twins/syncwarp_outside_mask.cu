// A lane synchronises with a mask that does not name it.
extern "C" __global__ void syncwarp_outside_mask_faulty(const int* in, int* out) {
  __syncwarp(0xfffffffeu);  // fault
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void syncwarp_outside_mask_clean(const int* in, int* out) {
  __syncwarp(0xffffffffu);
  out[threadIdx.x] = in[threadIdx.x];
}
