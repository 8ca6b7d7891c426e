// A thread waits for a flag that another thread sets, or that none sets.
extern "C" __global__ void livelock_faulty(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}  // fault
  } else if (threadIdx.x == 32) {
  }
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void livelock_clean(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
  } else if (threadIdx.x == 32) {
    *flag = 1;
  }
  out[threadIdx.x] = threadIdx.x;
}
