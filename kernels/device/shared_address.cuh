#pragma once

// Where a pointer to shared memory points, in the 32 bits that cp.async, ldmatrix and wmma address with.
__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
