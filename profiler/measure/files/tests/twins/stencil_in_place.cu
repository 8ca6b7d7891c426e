// A stencil that writes the row from which its neighbours still read.
extern "C" __global__ void stencil_in_place_faulty(int* row, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i > 0 && i < 127) row[i] = row[i - 1] + row[i + 1] + i;  // fault
}
extern "C" __global__ void stencil_in_place_clean(int* row, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i > 0 && i < 127) out[i] = row[i - 1] + row[i + 1] + i;
}
