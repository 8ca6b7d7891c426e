// The last element of the output is left out.
extern "C" __global__ void unwritten_element_faulty(const int* in, int* out) {
  if (threadIdx.x < 63) out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void unwritten_element_clean(const int* in, int* out) {
  if (threadIdx.x < 64) out[threadIdx.x] = in[threadIdx.x];
}
