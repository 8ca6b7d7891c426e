// Leaves NaN in the shared memory of every SM: a kernel that reads what nobody wrote then shows it in its result.
// Launched with one block per SM that takes all of its shared memory.

extern "C" __global__ void poison_shared(int words) {
  extern __shared__ volatile unsigned shared[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = 0xffffffffu;
}
