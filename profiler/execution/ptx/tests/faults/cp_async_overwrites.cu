// FAULT 1: the copy for the next round is issued while other warps may still read the tile that it replaces.
extern "C" __global__ void cp_async_overwrites(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ __align__(16) uint4 tile[128];
  const unsigned thread = threadIdx.x;
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(tile + thread));
  unsigned sum = 0;
  for (unsigned round = 0; round < 3; ++round) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target),
                 "l"(in + (4 * thread + 64 * round) % (count - 3))
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += tile[(thread + 32) % 128].x;
#if !FAULT
    __syncthreads();
#endif
  }
  out[thread] = sum;
}
