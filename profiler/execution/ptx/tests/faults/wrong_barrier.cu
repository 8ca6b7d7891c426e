// Two warps hand a tile to two others by a barrier with a number. FAULT 1: the consumers wait at another one, at which
// they are alone.
extern "C" __global__ void wrong_barrier(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned mail[64];
  const unsigned thread = threadIdx.x, slot = thread % 64;
  if (thread < 64) {
    mail[slot] = in[slot % count];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    out[thread] = thread;
  } else {
#if FAULT
    asm volatile("bar.sync 2, 64;" ::: "memory");
#else
    asm volatile("bar.sync 1, 128;" ::: "memory");
#endif
    out[thread] = mail[63 - slot];
  }
}
