#pragma once

// cp.async (sm_80 and later): 16 bytes from global to shared memory with no register between them and past L1. A thread
// waits for its own copies alone, so a barrier follows the wait before others read what they brought.

// A row is a whole number of sectors of 32 bytes; the prefetch brings the rest of its 128-byte line to L2.
__device__ inline void copy_async_16(unsigned destination, const void* source) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(destination), "l"(source) : "memory");
}

// Zeros where the source is not valid, which is not read then.
__device__ inline void copy_async_16_or_zeros(unsigned destination, const void* source, bool valid) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(destination), "l"(source),
               "r"(valid ? 16 : 0)
               : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most PENDING of the groups that this thread committed are still on their way.
template <int PENDING>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
