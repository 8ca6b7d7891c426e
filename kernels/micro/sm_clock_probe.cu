// Reads the clock that an SM runs at right now: cycles of %clock64 over nanoseconds of %globaltimer.
//
// globaltimer advances in steps of 32 ns to 1 us, by the GPU. The probe therefore starts and ends at a step that it has
// just seen happen: what is left is the time of one look at it, some tens of cycles of the tens of thousands counted.
// One thread of one block; every SM of a GPU has the same clock. No header is needed.

__device__ inline unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// As the timer volatile, so that the compiler keeps the two reads in their order.
__device__ inline unsigned long long cycles() {
  unsigned long long count;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(count));
  return count;
}

// result[0]: cycles, result[1]: [ns] that they took, at least `shortest` [ns].
extern "C" __global__ void sm_clock_probe(unsigned long long* result, unsigned long long shortest) {
  const unsigned long long before = nanoseconds();
  unsigned long long start = before;
  while (start == before) start = nanoseconds();
  const unsigned long long first_cycle = cycles();

  unsigned long long end = start;
  while (end - start < shortest) end = nanoseconds();
  const unsigned long long last_cycle = cycles();

  result[0] = last_cycle - first_cycle;
  result[1] = end - start;
}
