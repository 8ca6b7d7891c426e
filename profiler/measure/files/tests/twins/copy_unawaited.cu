// Each thread reads the word that it copied itself: only a wait is needed.
__device__ void copy_word(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
extern "C" __global__ void copy_unawaited_faulty(const int* in, int* out) {
  __shared__ int row[64];
  copy_word(&row[threadIdx.x], in + threadIdx.x);
  out[threadIdx.x] = row[threadIdx.x];  // fault
}
extern "C" __global__ void copy_unawaited_clean(const int* in, int* out) {
  __shared__ int row[64];
  copy_word(&row[threadIdx.x], in + threadIdx.x);
  wait_for_copies();
  out[threadIdx.x] = row[threadIdx.x];
}
