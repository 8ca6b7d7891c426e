// FAULT 1: the tile is read before the copy into it was waited for; a barrier alone does not wait.
extern "C" __global__ void early_cp_async_read(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ __align__(16) uint4 tile[128];
  const unsigned thread = threadIdx.x;
  tile[thread] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(tile + thread));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * thread % (count - 3)) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
#if !FAULT
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  __syncthreads();
  const uint4 words = tile[(thread + 32) % 128];
  out[thread] = words.x + 3 * words.y + 5 * words.z + 7 * words.w;
  asm volatile("cp.async.wait_all;" ::: "memory");
}
