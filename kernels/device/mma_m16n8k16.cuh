#pragma once

#include "device/element.cuh"

// One warp multiplies a 16 x 16 fragment A with a 16 x 8 fragment B and adds into 16 x 8 floats. Lane l holds of
//   A rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the next, and both plus 8: {row, row + 8} x {column, column + 8}
//   B rows 2 (l % 4) and the next, and both plus 8, of column l / 4
//   C row l / 4 columns 2 (l % 4) and the next in [0] and [1], row l / 4 + 8 in [2] and [3]
// (PTX ISA, "Matrix Fragments for mma.m16n8k16"). What one product leaves in C is, packed, the A of the next.

#define MMA_M16N8K16(TYPE)                                                                  \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                                \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                      \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

template <class Element>
__device__ inline void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (is_bf16<Element>) {
    MMA_M16N8K16("bf16");
  } else {
    MMA_M16N8K16("f16");
  }
}

#undef MMA_M16N8K16

// Two floats as one word, `low` in the lower half: one conversion instead of two and a permutation.
template <class Element>
__device__ inline unsigned pack_pair(float low, float high) {
  unsigned word;
  if constexpr (is_bf16<Element>) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
}
