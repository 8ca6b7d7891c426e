// The last block is only partly used: 100 elements for 128 threads.
extern "C" __global__ void last_block_unguarded_faulty(const int* in, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i <= n) out[i] = i;  // fault
}
extern "C" __global__ void last_block_unguarded_clean(const int* in, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = i;
}
