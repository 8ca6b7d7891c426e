// More threads than the kernel was compiled for.
extern "C" __global__ void __launch_bounds__(32) too_many_threads_faulty(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(64) too_many_threads_clean(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
