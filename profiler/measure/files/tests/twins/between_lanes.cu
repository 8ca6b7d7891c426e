// Lanes of a warp exchange words through global memory. Machine code runs a converged warp in order.
extern "C" __global__ void between_lanes_faulty(int* mail, int* out) {
  mail[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = mail[threadIdx.x ^ 1];  // fault
}
extern "C" __global__ void between_lanes_clean(int* mail, int* out) {
  mail[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = mail[threadIdx.x ^ 1];
}
