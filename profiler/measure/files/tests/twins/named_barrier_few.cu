// A named barrier that waits for one warp of the two which share a row.
extern "C" __global__ void named_barrier_few_faulty(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.sync 1, 32;" ::: "memory");
  out[threadIdx.x] = row[63 - threadIdx.x];  // fault
}
extern "C" __global__ void named_barrier_few_clean(const int* in, int* out) {
  __shared__ int row[64];
  row[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = row[63 - threadIdx.x];
}
