// Lanes exchange words without __syncwarp(). Machine code runs a converged warp in order.
extern "C" __global__ void missing_syncwarp_faulty(const int* in, int* out) {
  __shared__ int row[32];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[threadIdx.x ^ 1];  // fault
}
extern "C" __global__ void missing_syncwarp_clean(const int* in, int* out) {
  __shared__ int row[32];
  row[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = row[threadIdx.x ^ 1];
}
