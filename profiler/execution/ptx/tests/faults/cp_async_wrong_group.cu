// Two stages of copies. FAULT 1: the last stage is waited for as if another one had been committed behind it.
extern "C" __global__ void cp_async_wrong_group(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ __align__(16) uint4 tiles[2][64];
  const unsigned thread = threadIdx.x;
  for (unsigned stage = 0; stage < 2; ++stage) {
    tiles[stage][thread] = make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  for (unsigned stage = 0; stage < 2; ++stage) {
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&tiles[stage][thread]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + (4 * thread + 256 * stage) % (count - 3))
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  unsigned sum = tiles[0][(thread + 32) % 64].x;
#if FAULT
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#else
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  __syncthreads();
  sum += tiles[1][(thread + 32) % 64].y;
  out[thread] = sum;
  asm volatile("cp.async.wait_all;" ::: "memory");
}
