// Half of a warp votes with the mask of all, while the other half waits elsewhere.
extern "C" __global__ void vote_in_branch_faulty(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  if (threadIdx.x < 16) {
    v = __ballot_sync(0xffffffffu, v > 2);  // fault
    atomicAdd(&out[threadIdx.x], v);
  } else {
    __syncwarp(0xffff0000u);
    out[threadIdx.x] = v;
  }
  __syncwarp();  // fault
  atomicAdd(&out[threadIdx.x ^ 16], 1);
}
extern "C" __global__ void vote_in_branch_clean(const int* in, int* out) {
  int v = in[threadIdx.x] + threadIdx.x % 4;
  if (threadIdx.x < 16) {
    v = __ballot_sync(0x0000ffffu, v > 2);
    atomicAdd(&out[threadIdx.x], v);
  } else {
    __syncwarp(0xffff0000u);
    out[threadIdx.x] = v;
  }
  __syncwarp();
  atomicAdd(&out[threadIdx.x ^ 16], 1);
}
