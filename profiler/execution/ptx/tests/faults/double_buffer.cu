// Two buffers in turn need one barrier a round. FAULT 1: one buffer is used twice in a row.
extern "C" __global__ void double_buffer(const unsigned* in, unsigned* out, unsigned count) {
  __shared__ unsigned tiles[2][128];
  const unsigned thread = threadIdx.x;
  unsigned sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    unsigned* tile = tiles[FAULT ? round / 2 % 2 : round % 2];
    tile[thread] = in[(thread + 128 * round) % count];
    __syncthreads();
    sum += tile[(thread + 40) % 128];
  }
  out[thread] = sum;
}
