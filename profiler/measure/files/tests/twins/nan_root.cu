// A variance that rounding made negative.
extern "C" __global__ void nan_root_faulty(const float* in, float* out) {
  float variance = in[threadIdx.x];
  out[threadIdx.x] = sqrtf(variance);  // fault
}
extern "C" __global__ void nan_root_clean(const float* in, float* out) {
  float variance = in[threadIdx.x];
  variance = fmaxf(variance, 0);
  out[threadIdx.x] = sqrtf(variance);
}
