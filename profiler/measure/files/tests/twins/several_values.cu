// Several threads store different values in one element.
extern "C" __global__ void several_values_faulty(const int* in, int* out) {
  out[threadIdx.x / 2] = threadIdx.x + in[threadIdx.x];  // fault
}
extern "C" __global__ void several_values_clean(const int* in, int* out) {
  out[threadIdx.x] = threadIdx.x + in[threadIdx.x];
}
