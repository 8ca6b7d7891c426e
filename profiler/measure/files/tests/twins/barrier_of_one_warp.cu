// Half of the block's warps go to the barrier one time more than the others.
extern "C" __global__ void barrier_of_one_warp_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // fault
  out[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" __global__ void barrier_of_one_warp_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
  out[threadIdx.x] = row[63 - threadIdx.x];
}
