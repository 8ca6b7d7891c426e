// FAULT 1: a load of 8 bytes from an address that is a multiple of 4 only.
extern "C" __global__ void misaligned(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ __align__(16) unsigned tile[260];
  const unsigned thread = threadIdx.x;
  tile[2 * thread] = in[thread % count];
  tile[2 * thread + 1] = thread;
  if (thread < 4) tile[256 + thread] = 0;
  __syncthreads();
  const uint2 pair = *reinterpret_cast<const uint2*>(tile + 2 * thread + (FAULT ? 1 : 0));
  out[thread] = pair.x + 3 * pair.y;
}
