#pragma once

// The random inputs of every measurement, the same bits on the host and on the device: integer arithmetic up to the last
// step, which is one exact conversion and one rounding multiplication.

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

// The finaliser of splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
HOST_DEVICE inline unsigned long long hash_bits(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Nearly normal with mean 0 and variance 1: four uniform 16-bit numbers added up, within +-3.47. Every (seed, tensor,
// index) has its own value, so that Q, K and V differ and any element can be made alone.
HOST_DEVICE inline float random_input(unsigned long long seed, unsigned tensor, unsigned long long index) {
  const unsigned long long bits = hash_bits(hash_bits(seed ^ (static_cast<unsigned long long>(tensor) << 56)) + index);
  const int sum = static_cast<int>((bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48));
  const float inverse_deviation = 2.6429156e-5f;  // 1 / sqrt(4 * (2^32 - 1) / 12)
  return static_cast<float>(sum - 131070) * inverse_deviation;
}
