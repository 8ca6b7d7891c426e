// A named barrier that waits for more threads than ever come.
extern "C" __global__ void named_barrier_count_faulty(const int* in, int* out) {
  __shared__ int row[64];
  if (threadIdx.x < 64) {
    row[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 96;" ::: "memory");  // fault
    out[threadIdx.x] = row[63 - threadIdx.x];
  }
}
extern "C" __global__ void named_barrier_count_clean(const int* in, int* out) {
  __shared__ int row[64];
  if (threadIdx.x < 64) {
    row[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = row[63 - threadIdx.x];
  }
}
