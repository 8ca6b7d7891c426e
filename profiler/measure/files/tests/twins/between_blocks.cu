// A barrier orders the threads of its block alone, not the block whose words are read.
extern "C" __global__ void between_blocks_faulty(int* mail, int* out) {
  int i = blockIdx.x * 32 + threadIdx.x;
  mail[i] = i;
  __syncthreads();
  out[i] = mail[i ^ 32];  // fault
}
extern "C" __global__ void between_blocks_clean(int* mail, int* out) {
  int i = blockIdx.x * 32 + threadIdx.x;
  mail[i] = i;
  __syncthreads();
  out[i] = mail[i ^ 1];
}
