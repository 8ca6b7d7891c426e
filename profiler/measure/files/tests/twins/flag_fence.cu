// A chain of blocks: a volatile flag says that a value is there, and only a fence puts it before the flag.
extern "C" __global__ void flag_fence_faulty(volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {}
    before = out[blockIdx.x - 1];  // fault
  }
  out[blockIdx.x] = before + 1;
  flags[blockIdx.x] = 1;
}
extern "C" __global__ void flag_fence_clean(volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {}
    __threadfence();
    before = out[blockIdx.x - 1];
  }
  out[blockIdx.x] = before + 1;
  __threadfence();
  flags[blockIdx.x] = 1;
}
