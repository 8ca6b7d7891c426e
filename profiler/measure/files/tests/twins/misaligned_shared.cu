// A pair of words in shared memory must begin at a multiple of 8 bytes.
extern "C" __global__ void misaligned_shared_faulty(const int* in, int* out) {
  __shared__ __align__(8) int row[66];
  row[threadIdx.x] = in[threadIdx.x];
  row[threadIdx.x + 32] = 1;
  __syncthreads();
  const int2 two = *reinterpret_cast<const int2*>(row + 1 * threadIdx.x);  // fault
  out[threadIdx.x] = two.x + two.y;
}
extern "C" __global__ void misaligned_shared_clean(const int* in, int* out) {
  __shared__ __align__(8) int row[66];
  row[threadIdx.x] = in[threadIdx.x];
  row[threadIdx.x + 32] = 1;
  __syncthreads();
  const int2 two = *reinterpret_cast<const int2*>(row + 2 * threadIdx.x);
  out[threadIdx.x] = two.x + two.y;
}
