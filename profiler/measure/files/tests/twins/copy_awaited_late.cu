// The thread that copies waits behind the barrier: the others do not know that the copy ended.
__device__ void copy_word(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
extern "C" __global__ void copy_awaited_late_faulty(const int* in, int* out) {
  __shared__ int row[64];
  copy_word(&row[threadIdx.x], in + threadIdx.x);
  __syncthreads();
  wait_for_copies();
  out[threadIdx.x] = row[63 - threadIdx.x];  // fault
}
extern "C" __global__ void copy_awaited_late_clean(const int* in, int* out) {
  __shared__ int row[64];
  copy_word(&row[threadIdx.x], in + threadIdx.x);
  wait_for_copies();
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
