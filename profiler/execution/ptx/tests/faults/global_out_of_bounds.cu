// FAULT 1: the last thread reads one word behind the end of the input.
extern "C" __global__ void global_out_of_bounds(const unsigned* in, unsigned* out, unsigned count) {
  const unsigned thread = threadIdx.x;
  const unsigned first = count - blockDim.x;
  out[thread] = in[first + thread + (FAULT ? 1 : 0)];
}
