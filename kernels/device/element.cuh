#pragma once

// The 16-bit formats and packets of them, without cuda_fp16.h: a kernel that includes no header of the toolkit compiles
// the same with NVRTC 12 and 13 and needs no toolkit on the machine.

struct fp16 {
  unsigned short bits;
};
struct bf16 {
  unsigned short bits;
};

template <class Element>
constexpr bool is_bf16 = false;
template <>
constexpr bool is_bf16<bf16> = true;

// NVRTC has no INFINITY without a header.
__device__ inline float minus_infinity() { return __int_as_float(0xff800000); }

__device__ inline float to_float(fp16 x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}

// bfloat16 is the upper half of a float.
__device__ inline float to_float(bf16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }

__device__ inline void from_float(float x, fp16& result) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x)); }
__device__ inline void from_float(float x, bf16& result) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x)); }

// COUNT elements that travel in one load or store: 2, 4, 8 or 16 bytes. A struct of shorts would leave the width to the
// compiler, which splits it; the words below are what makes VEC_WIDTH an instruction and not a hope.
template <int COUNT>
struct Packet;
template <>
struct Packet<1> {
  unsigned short word;
};
template <>
struct Packet<2> {
  unsigned word;
};
template <>
struct Packet<4> {
  uint2 words;
};
template <>
struct Packet<8> {
  uint4 words;
};

template <class Element>
__device__ inline void unpack_word(unsigned word, float (&values)[2]) {
  values[0] = to_float(Element{static_cast<unsigned short>(word & 0xffffu)});
  values[1] = to_float(Element{static_cast<unsigned short>(word >> 16)});
}

template <class Element>
__device__ inline void unpack(Packet<1> packet, float (&values)[1]) {
  values[0] = to_float(Element{packet.word});
}
template <class Element>
__device__ inline void unpack(Packet<2> packet, float (&values)[2]) {
  unpack_word<Element>(packet.word, values);
}
template <class Element>
__device__ inline void unpack(Packet<4> packet, float (&values)[4]) {
  float pair[2];
  unpack_word<Element>(packet.words.x, pair);
  values[0] = pair[0], values[1] = pair[1];
  unpack_word<Element>(packet.words.y, pair);
  values[2] = pair[0], values[3] = pair[1];
}
template <class Element>
__device__ inline void unpack(Packet<8> packet, float (&values)[8]) {
  const unsigned words[4] = {packet.words.x, packet.words.y, packet.words.z, packet.words.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float pair[2];
    unpack_word<Element>(words[i], pair);
    values[2 * i] = pair[0], values[2 * i + 1] = pair[1];
  }
}

template <int COUNT>
__device__ inline Packet<COUNT> load_packet(const void* address) {
  return *static_cast<const Packet<COUNT>*>(address);
}

template <int COUNT>
__device__ inline void store_packet(void* address, Packet<COUNT> packet) {
  *static_cast<Packet<COUNT>*>(address) = packet;
}
