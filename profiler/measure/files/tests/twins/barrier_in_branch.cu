// A barrier in a branch that half of each warp takes, while the other half works on.
extern "C" __global__ void barrier_in_branch_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // fault
    out[threadIdx.x] = row[threadIdx.x] + 1;
  }
  for (int i = 0; i < 3; ++i) atomicAdd(&out[threadIdx.x], i);
}
extern "C" __global__ void barrier_in_branch_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = row[threadIdx.x] + 1;
  }
  for (int i = 0; i < 3; ++i) atomicAdd(&out[threadIdx.x], i);
}
