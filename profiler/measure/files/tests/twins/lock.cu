// A lock without fences lets the next owner read an older sum.
extern "C" __global__ void lock_faulty(int* lock, int* out) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  out[0] += 1;  // fault
  atomicExch(lock, 0);
}
extern "C" __global__ void lock_clean(int* lock, int* out) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}
