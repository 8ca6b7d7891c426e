// More taps are read than the constant array has.
__constant__ float taps[3] = {1, 2, 1};
extern "C" __global__ void past_constant_faulty(const int* in, int* out) {
  float sum = 0;
  for (int t = 0; t < in[0] + 2; ++t) sum += taps[t];  // fault
  out[threadIdx.x] = sum;
}
extern "C" __global__ void past_constant_clean(const int* in, int* out) {
  float sum = 0;
  for (int t = 0; t < in[0]; ++t) sum += taps[t];
  out[threadIdx.x] = sum;
}
