// The left neighbour of element 0.
extern "C" __global__ void negative_index_faulty(const int* in, int* out) {
  int i = threadIdx.x;
  out[i] = in[i - 1];  // fault
}
extern "C" __global__ void negative_index_clean(const int* in, int* out) {
  int i = threadIdx.x;
  out[i] = i == 0 ? 0 : in[i - 1];
}
