// Three words of four are written and loaded at once: a fault only where the fourth is used.
extern "C" __global__ void wide_load_faulty(const int* in, int* out) {
  __shared__ __align__(16) int row[64][4];
  int t = threadIdx.x;
  for (int c = 0; c < 3; ++c) row[t][c] = in[t] + c;
  __syncthreads();
  const int4 four = *reinterpret_cast<const int4*>(row[63 - t]);  // fault
  out[t] = four.x + 2 * four.y + 3 * four.z + four.w;
}
extern "C" __global__ void wide_load_clean(const int* in, int* out) {
  __shared__ __align__(16) int row[64][4];
  int t = threadIdx.x;
  for (int c = 0; c < 3; ++c) row[t][c] = in[t] + c;
  __syncthreads();
  const int4 four = *reinterpret_cast<const int4*>(row[63 - t]);
  out[t] = four.x + 2 * four.y + 3 * four.z;
}
