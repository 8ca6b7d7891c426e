// Each half of the warp has a mask of its own, and one half reads from the other. SHFL has no mask.
extern "C" __global__ void shuffle_unnamed_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  out[threadIdx.x] = __shfl_sync(mask, v, 3);  // fault
}
extern "C" __global__ void shuffle_unnamed_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x;
  unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  out[threadIdx.x] = __shfl_sync(mask, v, threadIdx.x & 16);
}
