#pragma once

#include "device/element.cuh"
#include "device/shared_address.cuh"

// Products of 16 x 16 matrices on the tensor cores by the wmma instructions of PTX, which mma.h wraps as nvcuda::wmma.
// mma.h is not included because a kernel needs no header of the toolkit; these are the same instructions.
//
// A fragment is a matrix spread over the registers of a warp. Which lane holds which element is left open: a fragment can
// be loaded, multiplied and stored, but not, portably, looked into. All pointers are into shared memory and aligned to 32
// bytes, all strides [elements] are multiples of 16 bytes, and all 32 lanes call together.

enum Order { row_order, column_order };

constexpr int wmma_size = 16;

// Registers of a factor: 8 for fp16, where every element is held twice, 4 for bf16.
template <class Element>
constexpr int factor_registers = 8;
template <>
constexpr int factor_registers<bf16> = 4;

template <class Element>
struct LeftFactor {  // [16, 16] in row order
  unsigned word[factor_registers<Element>];
};
template <class Element, Order ORDER>
struct RightFactor {  // [16, 16]; in column order it is the transpose of what lies in memory
  unsigned word[factor_registers<Element>];
};
struct Accumulator {  // [16, 16] of float
  float value[8];
};

// "memory" keeps a load behind the stores and barriers before it.
#define WMMA_LOAD_8(instruction, fragment, address, stride)                                                      \
  asm volatile(instruction " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                        \
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3]), "=r"(fragment[4]),  \
                 "=r"(fragment[5]), "=r"(fragment[6]), "=r"(fragment[7])                                         \
               : "r"(address), "r"(stride)                                                                       \
               : "memory")
#define WMMA_LOAD_4(instruction, fragment, address, stride)                               \
  asm volatile(instruction " {%0, %1, %2, %3}, [%4], %5;"                                 \
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3]) \
               : "r"(address), "r"(stride)                                                \
               : "memory")

__device__ inline void load(LeftFactor<fp16>& a, const fp16* matrix, int stride) {
  WMMA_LOAD_8("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", a.word, shared_address(matrix), stride);
}
__device__ inline void load(LeftFactor<bf16>& a, const bf16* matrix, int stride) {
  WMMA_LOAD_4("wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16", a.word, shared_address(matrix), stride);
}

template <Order ORDER>
__device__ inline void load(RightFactor<fp16, ORDER>& b, const fp16* matrix, int stride) {
  if constexpr (ORDER == row_order) {
    WMMA_LOAD_8("wmma.load.b.sync.aligned.row.m16n16k16.shared.f16", b.word, shared_address(matrix), stride);
  } else {
    WMMA_LOAD_8("wmma.load.b.sync.aligned.col.m16n16k16.shared.f16", b.word, shared_address(matrix), stride);
  }
}
template <Order ORDER>
__device__ inline void load(RightFactor<bf16, ORDER>& b, const bf16* matrix, int stride) {
  if constexpr (ORDER == row_order) {
    WMMA_LOAD_4("wmma.load.b.sync.aligned.row.m16n16k16.shared.bf16", b.word, shared_address(matrix), stride);
  } else {
    WMMA_LOAD_4("wmma.load.b.sync.aligned.col.m16n16k16.shared.bf16", b.word, shared_address(matrix), stride);
  }
}

#undef WMMA_LOAD_8
#undef WMMA_LOAD_4

__device__ inline void load(Accumulator& c, const float* matrix, int stride) {
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
               : "=f"(c.value[0]), "=f"(c.value[1]), "=f"(c.value[2]), "=f"(c.value[3]), "=f"(c.value[4]),
                 "=f"(c.value[5]), "=f"(c.value[6]), "=f"(c.value[7])
               : "r"(shared_address(matrix)), "r"(stride)
               : "memory");
}

__device__ inline void store(float* matrix, const Accumulator& c, int stride) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
               :
               : "r"(shared_address(matrix)), "f"(c.value[0]), "f"(c.value[1]), "f"(c.value[2]), "f"(c.value[3]),
                 "f"(c.value[4]), "f"(c.value[5]), "f"(c.value[6]), "f"(c.value[7]), "r"(stride)
               : "memory");
}

// c += a * b, for the orders of b that PTX spells in the name of the instruction.
#define WMMA_SUM                                                                                              \
  "+f"(c.value[0]), "+f"(c.value[1]), "+f"(c.value[2]), "+f"(c.value[3]), "+f"(c.value[4]), "+f"(c.value[5]), \
      "+f"(c.value[6]), "+f"(c.value[7])
#define WMMA_MULTIPLY_8(instruction)                                                                            \
  asm(instruction                                                                                               \
      " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15},"                              \
      " {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"                            \
      : WMMA_SUM                                                                                                \
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(a.word[4]), "r"(a.word[5]),         \
        "r"(a.word[6]), "r"(a.word[7]), "r"(b.word[0]), "r"(b.word[1]), "r"(b.word[2]), "r"(b.word[3]),         \
        "r"(b.word[4]), "r"(b.word[5]), "r"(b.word[6]), "r"(b.word[7]))
#define WMMA_MULTIPLY_4(instruction)                                                                    \
  asm(instruction                                                                                       \
      " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15},"                    \
      " {%0, %1, %2, %3, %4, %5, %6, %7};"                                                              \
      : WMMA_SUM                                                                                        \
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[0]), "r"(b.word[1]), \
        "r"(b.word[2]), "r"(b.word[3]))

template <Order ORDER>
__device__ inline void multiply_add(Accumulator& c, const LeftFactor<fp16>& a, const RightFactor<fp16, ORDER>& b) {
  if constexpr (ORDER == row_order) {
    WMMA_MULTIPLY_8("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32");
  } else {
    WMMA_MULTIPLY_8("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
  }
}
template <Order ORDER>
__device__ inline void multiply_add(Accumulator& c, const LeftFactor<bf16>& a, const RightFactor<bf16, ORDER>& b) {
  if constexpr (ORDER == row_order) {
    WMMA_MULTIPLY_4("wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32");
  } else {
    WMMA_MULTIPLY_4("wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32");
  }
}

#undef WMMA_SUM
#undef WMMA_MULTIPLY_8
#undef WMMA_MULTIPLY_4
