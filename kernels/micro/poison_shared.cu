// Fills the shared memory of every SM with NaN, so that a kernel that reads what it did not write shows it.
//
// Launched with all the dynamic shared memory that a block may have, one block fits an SM at a time; two blocks for each
// SM make sure that each gets one. The contents stay until the next kernel writes them. No header is needed.

// bytes: of dynamic shared memory, a multiple of 4. 0xFFFFFFFF is a NaN as float and two NaNs as halves or bfloat16.
extern "C" __global__ void poison_shared(unsigned bytes) {
  extern __shared__ volatile unsigned words[];
  for (unsigned word = threadIdx.x; word < bytes / 4; word += blockDim.x) words[word] = 0xFFFFFFFFu;
  // An SM that is done at once would take the next block too: stay until the others have theirs.
  const unsigned long long microsecond = 1000;
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < 10 * microsecond);
}
