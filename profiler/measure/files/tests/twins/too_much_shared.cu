// More dynamic shared memory than a block can have.
extern "C" __global__ void too_much_shared_faulty(const int* in, int* out) {
  extern __shared__ int row[];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" __global__ void too_much_shared_clean(const int* in, int* out) {
  extern __shared__ int row[];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
