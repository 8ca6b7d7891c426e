// One tile is used for two arrays: the second is stored while the first is still read.
extern "C" __global__ void reused_tile_faulty(const int* in, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int first = tile[63 - t];
  tile[t] = in[64 + t];  // fault
  __syncthreads();
  out[t] = first - tile[63 - t];
}
extern "C" __global__ void reused_tile_clean(const int* in, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int first = tile[63 - t];
  __syncthreads();
  tile[t] = in[64 + t];
  __syncthreads();
  out[t] = first - tile[63 - t];
}
