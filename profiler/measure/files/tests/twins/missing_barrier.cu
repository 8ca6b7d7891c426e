// A block reverses a row without waiting for all of its warps.
extern "C" __global__ void missing_barrier_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[63 - threadIdx.x];  // fault
}
extern "C" __global__ void missing_barrier_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
