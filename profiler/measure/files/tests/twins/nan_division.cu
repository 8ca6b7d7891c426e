// A mean of no elements.
extern "C" __global__ void nan_division_faulty(const float* in, float* out) {
  float count = in[threadIdx.x], sum = count * 2;
  out[threadIdx.x] = sum / count;  // fault
}
extern "C" __global__ void nan_division_clean(const float* in, float* out) {
  float count = in[threadIdx.x], sum = count * 2;
  out[threadIdx.x] = count == 0 ? 0 : sum / count;
}
