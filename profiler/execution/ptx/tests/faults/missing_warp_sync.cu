// FAULT 1: the lanes of one warp exchange values through shared memory and lean on lockstep, which no GPU since Volta
// promises.
extern "C" __global__ void missing_warp_sync(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tile[32];
  const unsigned lane = threadIdx.x;
  tile[lane] = in[lane % count];
#if !FAULT
  __syncwarp();
#endif
  out[lane] = tile[31 - lane];
}
