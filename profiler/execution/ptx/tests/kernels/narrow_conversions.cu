// Conversions to and from numbers of fewer than 16 bits, through registers of 8 bits too: out[f * count + i] is function f
// of x[i] and y[i]. The functions have the names and the order of hardware/narrow_cases.cpp.

#define FROM_ONE(NAME, TEXT, REGISTER, TYPE)             \
  __device__ inline unsigned NAME(unsigned x, unsigned) { \
    TYPE result;                                          \
    asm(TEXT : "=" REGISTER(result) : "r"(x));            \
    return result;                                        \
  }
#define FROM_FLOATS(NAME, TEXT, REGISTER, TYPE)                                                               \
  __device__ inline unsigned NAME(unsigned x, unsigned y) {                                                   \
    TYPE result;                                                                                              \
    asm(TEXT " %0, %1, %2;" : "=" REGISTER(result) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y)));       \
    return result;                                                                                            \
  }
#define TO_HALVES(NAME, TEXT)                                                               \
  __device__ inline unsigned NAME(unsigned x, unsigned) {                                   \
    unsigned result;                                                                        \
    asm(TEXT " %0, %1;" : "=r"(result) : "h"(static_cast<unsigned short>(x)));              \
    return result;                                                                          \
  }
#define PACK(NAME, TEXT)                                                               \
  __device__ inline unsigned NAME(unsigned x, unsigned y) {                            \
    unsigned result;                                                                   \
    asm(TEXT " %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(x * 0x9e3779b9)); \
    return result;                                                                     \
  }
#define PACK_TWO(NAME, TEXT)                                            \
  __device__ inline unsigned NAME(unsigned x, unsigned y) {             \
    unsigned result;                                                    \
    asm(TEXT " %0, %1, %2;" : "=r"(result) : "r"(x), "r"(y));           \
    return result;                                                      \
  }
#define SINGLE(NAME, TEXT, REGISTER, TYPE)                                          \
  __device__ inline unsigned NAME(unsigned x, unsigned) {                           \
    TYPE result;                                                                    \
    asm(TEXT " %0, %1;" : "=" REGISTER(result) : "f"(__uint_as_float(x)));          \
    return result;                                                                  \
  }

FROM_FLOATS(e4m3_of_singles, "cvt.rn.satfinite.e4m3x2.f32", "h", unsigned short)
FROM_FLOATS(e4m3_of_singles_relu, "cvt.rn.satfinite.relu.e4m3x2.f32", "h", unsigned short)
FROM_FLOATS(e5m2_of_singles, "cvt.rn.satfinite.e5m2x2.f32", "h", unsigned short)
FROM_FLOATS(e5m2_of_singles_relu, "cvt.rn.satfinite.relu.e5m2x2.f32", "h", unsigned short)
FROM_ONE(e4m3_of_halves, "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;", "h", unsigned short)
FROM_ONE(e4m3_of_halves_relu, "cvt.rn.satfinite.relu.e4m3x2.f16x2 %0, %1;", "h", unsigned short)
FROM_ONE(e5m2_of_halves, "cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;", "h", unsigned short)
FROM_ONE(e5m2_of_halves_relu, "cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;", "h", unsigned short)
TO_HALVES(halves_of_e4m3, "cvt.rn.f16x2.e4m3x2")
TO_HALVES(halves_of_e4m3_relu, "cvt.rn.relu.f16x2.e4m3x2")
TO_HALVES(halves_of_e5m2, "cvt.rn.f16x2.e5m2x2")
TO_HALVES(halves_of_e5m2_relu, "cvt.rn.relu.f16x2.e5m2x2")
FROM_FLOATS(finite_halves, "cvt.rn.satfinite.f16x2.f32", "r", unsigned)
FROM_FLOATS(finite_bfloats, "cvt.rn.satfinite.bf16x2.f32", "r", unsigned)
FROM_FLOATS(halves_toward_zero, "cvt.rz.f16x2.f32", "r", unsigned)
FROM_FLOATS(bfloats_toward_zero, "cvt.rz.relu.bf16x2.f32", "r", unsigned)
SINGLE(finite_half, "cvt.rn.satfinite.f16.f32", "h", unsigned short)
SINGLE(finite_tf32, "cvt.rna.satfinite.tf32.f32", "r", unsigned)
SINGLE(tf32_toward_zero, "cvt.rz.tf32.f32", "r", unsigned)
PACK_TWO(pack_u16, "cvt.pack.sat.u16.s32")
PACK_TWO(pack_s16, "cvt.pack.sat.s16.s32")
PACK(pack_u8, "cvt.pack.sat.u8.s32.b32")
PACK(pack_s8, "cvt.pack.sat.s8.s32.b32")
PACK(pack_u4, "cvt.pack.sat.u4.s32.b32")
PACK(pack_s4, "cvt.pack.sat.s4.s32.b32")
PACK(pack_u2, "cvt.pack.sat.u2.s32.b32")
PACK(pack_s2, "cvt.pack.sat.s2.s32.b32")
FROM_ONE(through_u8, "{ .reg .u8 t; cvt.u8.u32 t, %1; cvt.u32.u8 %0, t; }", "r", unsigned)
FROM_ONE(through_s8, "{ .reg .s8 t; cvt.s8.u32 t, %1; cvt.s32.s8 %0, t; }", "r", unsigned)
FROM_ONE(saturated_through_s8, "{ .reg .s8 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t; }", "r", unsigned)
FROM_ONE(reversed_bytes, "{ .reg .b8 t<4>; mov.b32 {t0, t1, t2, t3}, %1; mov.b32 %0, {t3, t2, t1, t0}; }", "r",
         unsigned)

constexpr int functions = 32;

extern "C" __global__ void narrow_conversions(const unsigned* x, const unsigned* y, unsigned* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  using Function = unsigned(unsigned, unsigned);
  int f = 0;
  const auto put = [&](Function function) { out[f++ * count + i] = function(x[i], y[i]); };
  put(e4m3_of_singles);
  put(e4m3_of_singles_relu);
  put(e5m2_of_singles);
  put(e5m2_of_singles_relu);
  put(e4m3_of_halves);
  put(e4m3_of_halves_relu);
  put(e5m2_of_halves);
  put(e5m2_of_halves_relu);
  put(halves_of_e4m3);
  put(halves_of_e4m3_relu);
  put(halves_of_e5m2);
  put(halves_of_e5m2_relu);
  put(finite_halves);
  put(finite_bfloats);
  put(halves_toward_zero);
  put(bfloats_toward_zero);
  put(finite_half);
  put(finite_tf32);
  put(tf32_toward_zero);
  put(pack_u16);
  put(pack_s16);
  put(pack_u8);
  put(pack_s8);
  put(pack_u4);
  put(pack_s4);
  put(pack_u2);
  put(pack_s2);
  put(through_u8);
  put(through_s8);
  put(saturated_through_s8);
  put(reversed_bytes);
  // One byte of a word of the output, through a register of 8 bits.
  asm volatile("{ .reg .u8 t; ld.global.u8 t, [%0]; st.global.u8 [%1], t; }"
               :
               : "l"(reinterpret_cast<const char*>(x + i) + i % 4), "l"(out + f++ * count + i)
               : "memory");
  static_assert(functions == FUNCTIONS, "the host's list of functions has another length");
}
