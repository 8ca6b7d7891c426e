// A check of the kernel itself, which ends the launch.
extern "C" __global__ void trap_faulty(const int* in, int* out) {
  if (in[threadIdx.x] < 0) __trap();  // fault
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void trap_clean(const int* in, int* out) {
  if (in[threadIdx.x] < -1) __trap();
  out[threadIdx.x] = in[threadIdx.x];
}
