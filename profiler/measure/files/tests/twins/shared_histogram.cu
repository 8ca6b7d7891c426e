// Counts in shared memory: increments of one bin by several threads are lost.
extern "C" __global__ void shared_histogram_faulty(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  int bin = (in[threadIdx.x] + threadIdx.x) % 8;
  bins[bin] += 1;  // fault
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void shared_histogram_clean(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  int bin = (in[threadIdx.x] + threadIdx.x) % 8;
  atomicAdd(&bins[bin], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
