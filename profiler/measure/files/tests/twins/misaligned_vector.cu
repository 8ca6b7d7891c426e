// A vector of four words must begin at a multiple of 16 bytes.
extern "C" __global__ void misaligned_vector_faulty(const int* in, int* out) {
  const int4 four = *reinterpret_cast<const int4*>(in + 4 * threadIdx.x + 2);  // fault
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
extern "C" __global__ void misaligned_vector_clean(const int* in, int* out) {
  const int4 four = *reinterpret_cast<const int4*>(in + 4 * threadIdx.x + 4);
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
