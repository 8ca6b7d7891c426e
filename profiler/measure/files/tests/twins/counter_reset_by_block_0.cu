// The first block resets the counter to which all blocks add; no barrier orders blocks.
extern "C" __global__ void counter_reset_by_block_0_faulty(const int* in, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = 0;
  __syncthreads();
  atomicAdd(out, in[threadIdx.x] + 1);  // fault
}
extern "C" __global__ void counter_reset_by_block_0_clean(const int* in, int* out) {
  __syncthreads();
  atomicAdd(out, in[threadIdx.x] + 1);
}
