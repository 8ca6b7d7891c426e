// The chain of blocks with a flag that is released and acquired, or only relaxed.
extern "C" __global__ void flag_release_faulty(int* flags, int* out) {
  if (threadIdx.x != 0) return;
  int before = 0, seen = 0;
  if (blockIdx.x > 0) {
    while (seen == 0) asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x - 1) : "memory");
    before = out[blockIdx.x - 1];  // fault
  }
  out[blockIdx.x] = before + 1;
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1) : "memory");
}
extern "C" __global__ void flag_release_clean(int* flags, int* out) {
  if (threadIdx.x != 0) return;
  int before = 0, seen = 0;
  if (blockIdx.x > 0) {
    while (seen == 0) asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x - 1) : "memory");
    before = out[blockIdx.x - 1];
  }
  out[blockIdx.x] = before + 1;
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1) : "memory");
}
