// The last tile is only partly loaded, and summed as a whole.
extern "C" __global__ void partial_tile_faulty(const int* in, int* out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) tile[t] = in[i];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += tile[k] * (t - k);  // fault
  out[i] = sum;
}
extern "C" __global__ void partial_tile_clean(const int* in, int* out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) tile[t] = in[i];
  else tile[t] = 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += tile[k] * (t - k);
  out[i] = sum;
}
