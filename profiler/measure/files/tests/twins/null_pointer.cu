// An optional argument is used though there is none.
extern "C" __global__ void null_pointer_faulty(const int* bias, int* out) {
  int v = threadIdx.x;
   v += bias[threadIdx.x];  // fault
  out[threadIdx.x] = v;
}
extern "C" __global__ void null_pointer_clean(const int* bias, int* out) {
  int v = threadIdx.x;
  if (bias != nullptr) v += bias[threadIdx.x];
  out[threadIdx.x] = v;
}
