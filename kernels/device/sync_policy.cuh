#pragma once

// How often a kernel waits for its whole block where the result does not ask for it: SYNC_POLICY in a kernel that offers
// the choice. Both are correct: the barriers that order the tiles are not part of it.
enum SyncPolicy {
  light,  // only the barriers that the data needs
  heavy,  // one more behind each phase, as a kernel has that was synchronised until it worked
};

template <SyncPolicy POLICY>
__device__ inline void phase_barrier() {
  if constexpr (POLICY == heavy) __syncthreads();
}
