// Each block adds its share to one word.
extern "C" __global__ void lost_update_faulty(const int* in, int* out) {
  if (threadIdx.x == 0) out[0] += in[blockIdx.x];  // fault
}
extern "C" __global__ void lost_update_clean(const int* in, int* out) {
  if (threadIdx.x == 0) atomicAdd(out, in[blockIdx.x]);
}
