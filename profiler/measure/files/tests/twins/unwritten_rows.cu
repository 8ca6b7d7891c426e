// A stride of the grid's threads that leaves out rows.
extern "C" __global__ void unwritten_rows_faulty(const int* in, int* out) {
  for (int i = blockIdx.x * 32 + threadIdx.x; i < 128; i += 96) out[i] = in[i % 64];
}
extern "C" __global__ void unwritten_rows_clean(const int* in, int* out) {
  for (int i = blockIdx.x * 32 + threadIdx.x; i < 128; i += 64) out[i] = in[i % 64];
}
