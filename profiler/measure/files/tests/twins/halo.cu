// A stencil's row whose two words at the ends are never filled.
extern "C" __global__ void halo_faulty(const int* in, int* out) {
  __shared__ int row[66];
  int t = threadIdx.x;
  row[t + 1] = in[t];
  __syncthreads();
  out[t] = row[t] + row[t + 1] + row[t + 2];  // fault
}
extern "C" __global__ void halo_clean(const int* in, int* out) {
  __shared__ int row[66];
  int t = threadIdx.x;
  row[t + 1] = in[t];
  if (t < 2) row[65 * t] = 0;
  __syncthreads();
  out[t] = row[t] + row[t + 1] + row[t + 2];
}
