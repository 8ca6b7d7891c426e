// A lane votes with a mask that does not name it.
extern "C" __global__ void ballot_outside_mask_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = (int)__ballot_sync(0xfffffffeu, v > 3);  // fault
}
extern "C" __global__ void ballot_outside_mask_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  out[threadIdx.x] = (int)__ballot_sync(0xffffffffu, v > 3);
}
