// A tree sum over two warps lacks the barrier between its levels.
extern "C" __global__ void reduction_tree_faulty(const int* in, int* out) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t] + t;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncwarp();
  }
  out[t] = part[0];  // fault
}
extern "C" __global__ void reduction_tree_clean(const int* in, int* out) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t] + t;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  __syncthreads();
  out[t] = part[0];
}
