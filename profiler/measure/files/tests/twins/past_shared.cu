// A row in shared memory without room for the right neighbour of its last element.
extern "C" __global__ void past_shared_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x + 1] = in[threadIdx.x];  // fault
  if (threadIdx.x == 0) row[0] = 0;
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" __global__ void past_shared_clean(const int* in, int* out) {
  __shared__ int row[65];
  row[threadIdx.x + 1] = in[threadIdx.x];
  if (threadIdx.x == 0) row[0] = 0;
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
