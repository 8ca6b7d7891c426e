// An array of the thread's own is indexed behind its end.
extern "C" __global__ void past_local_faulty(const int* in, int* out) {
  int own[8];
  #pragma unroll 1
  for (int i = 0; i < 8; ++i) own[(i + in[threadIdx.x]) % 8] = i;
  out[threadIdx.x] = own[in[threadIdx.x] + 4096];  // fault
}
extern "C" __global__ void past_local_clean(const int* in, int* out) {
  int own[8];
  #pragma unroll 1
  for (int i = 0; i < 8; ++i) own[(i + in[threadIdx.x]) % 8] = i;
  out[threadIdx.x] = own[in[threadIdx.x] + 4];
}
