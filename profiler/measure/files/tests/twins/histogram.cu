// Counts in global memory by threads of several blocks.
extern "C" __global__ void histogram_faulty(const int* in, int* out) {
  int bin = (in[threadIdx.x] + threadIdx.x) % 4;
  out[bin] += 1;  // fault
}
extern "C" __global__ void histogram_clean(const int* in, int* out) {
  int bin = (in[threadIdx.x] + threadIdx.x) % 4;
  atomicAdd(&out[bin], 1);
}
