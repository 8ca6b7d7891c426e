// Each block writes a slice of its own; one element too many is the first one of the next block.
extern "C" __global__ void slices_faulty(const int* in, int* out) {
  for (int i = threadIdx.x; i < 33; i += 32)
    out[blockIdx.x * 32 + i] = blockIdx.x + in[0];  // fault
}
extern "C" __global__ void slices_clean(const int* in, int* out) {
  for (int i = threadIdx.x; i < 32; i += 32)
    out[blockIdx.x * 32 + i] = blockIdx.x + in[0];
}
