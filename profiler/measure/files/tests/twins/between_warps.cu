// Warps of a block exchange words through global memory.
extern "C" __global__ void between_warps_faulty(int* mail, int* out) {
  mail[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = mail[threadIdx.x ^ 32];  // fault
}
extern "C" __global__ void between_warps_clean(int* mail, int* out) {
  mail[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = mail[threadIdx.x ^ 32];
}
