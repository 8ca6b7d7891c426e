// One warp that repeats one access to global memory at addresses that the host chose: OPERATION 0 loads, 1 stores; WIDTH is
// the bytes that one lane moves. `step` moves all lanes on after every access. A lane's offset is a multiple of WIDTH.

constexpr int repeats = 16;

__device__ inline unsigned load(const char* address) {
#if WIDTH == 1
  return *reinterpret_cast<const unsigned char*>(address);
#elif WIDTH == 2
  return *reinterpret_cast<const unsigned short*>(address);
#elif WIDTH == 4
  return *reinterpret_cast<const unsigned*>(address);
#elif WIDTH == 8
  const uint2 words = *reinterpret_cast<const uint2*>(address);
  return words.x + 3 * words.y;
#else
  const uint4 words = *reinterpret_cast<const uint4*>(address);
  return words.x + 3 * words.y + 5 * words.z + 7 * words.w;
#endif
}

__device__ inline void store(char* address, unsigned value) {
#if WIDTH == 1
  *reinterpret_cast<unsigned char*>(address) = static_cast<unsigned char>(value);
#elif WIDTH == 2
  *reinterpret_cast<unsigned short*>(address) = static_cast<unsigned short>(value);
#elif WIDTH == 4
  *reinterpret_cast<unsigned*>(address) = value;
#elif WIDTH == 8
  *reinterpret_cast<uint2*>(address) = make_uint2(value, ~value);
#else
  *reinterpret_cast<uint4*>(address) = make_uint4(value, ~value, value + 1, value + 2);
#endif
}

extern "C" __global__ void __launch_bounds__(32)
    global_pattern(const unsigned* offsets, const char* source, char* target, unsigned* out, unsigned mask,
                   unsigned step) {
  const unsigned lane = threadIdx.x;
  unsigned offset = offsets[lane];
  unsigned sum = 0;
  if (mask >> lane & 1) {
#pragma unroll 4
    for (unsigned i = 0; i < repeats; ++i) {
#if OPERATION == 0
      sum = sum * 31 + load(source + offset);
#else
      store(target + offset, offset * 2654435761u);
#endif
      offset += step;
    }
  }
  out[lane] = sum;
}
