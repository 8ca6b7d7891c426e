// A softmax without the maximum subtracted: both its numerator and its sum overflow.
extern "C" __global__ void nan_softmax_faulty(const float* in, float* out) {
  float v = in[threadIdx.x], most = v;
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  float weight = expf(v), sum = weight;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  out[threadIdx.x] = weight / sum;  // fault
}
extern "C" __global__ void nan_softmax_clean(const float* in, float* out) {
  float v = in[threadIdx.x], most = v;
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  float weight = expf(v- most), sum = weight;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  out[threadIdx.x] = weight / sum;
}
