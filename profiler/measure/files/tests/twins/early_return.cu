// Threads that only leave need not reach a barrier; threads that store before they leave share code behind it.
extern "C" __global__ void early_return_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x >= 40) {
    out[threadIdx.x] = -1;
    return;
  }
  __syncthreads();  // fault
  out[threadIdx.x] = row[39 - threadIdx.x];
}
extern "C" __global__ void early_return_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x >= 40) {
    return;
  }
  __syncthreads();
  out[threadIdx.x] = row[39 - threadIdx.x];
}
