#pragma once

#include "device/element.cuh"

// Rounds COUNT neighbouring values and writes them in one store of 2 * COUNT bytes.
template <int COUNT, class Element>
__device__ inline void store_floats(Element* address, const float (&values)[COUNT]) {
  Element rounded[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) from_float(values[i], rounded[i]);
  Packet<COUNT> packet;
  static_assert(sizeof packet == sizeof rounded);
  memcpy(&packet, rounded, sizeof packet);
  store_packet(address, packet);
}
