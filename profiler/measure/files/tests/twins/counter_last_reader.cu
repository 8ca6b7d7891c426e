// The thread whose atomic comes last reads a counter to which other threads may still add.
extern "C" __global__ void counter_last_reader_faulty(const int* in, int* count, int* out) {
  atomicAdd(count, in[threadIdx.x] + 1);
  if (threadIdx.x == 63) out[0] = count[0];  // fault
}
extern "C" __global__ void counter_last_reader_clean(const int* in, int* count, int* out) {
  atomicAdd(count, in[threadIdx.x] + 1);
  __syncthreads();
  if (threadIdx.x == 63) out[0] = count[0];
}
