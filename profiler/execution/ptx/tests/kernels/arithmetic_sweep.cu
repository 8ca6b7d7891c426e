// Scalar functions over many values: out[f * count + i] is function f of x[i] and y[i]. SWEEP picks the group. The
// functions have the names and the order of the lists in hardware/arithmetic_cases.cpp.

#define FLOATS 0
#define PACKED 1
#define INTEGERS 2
#define CONVERSIONS 3
#define DOUBLES 4

#if SWEEP == FLOATS
using Input = float;
using Output = float;
#define UNARY(NAME, TEXT)                         \
  __device__ inline float NAME(float x) {         \
    float result;                                 \
    asm(TEXT " %0, %1;" : "=f"(result) : "f"(x)); \
    return result;                                \
  }
#define BINARY(NAME, TEXT)                                    \
  __device__ inline float NAME(float x, float y) {            \
    float result;                                             \
    asm(TEXT " %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y)); \
    return result;                                            \
  }
UNARY(rcp_approx, "rcp.approx.ftz.f32")
UNARY(sqrt_approx, "sqrt.approx.ftz.f32")
UNARY(rsqrt_approx, "rsqrt.approx.ftz.f32")
UNARY(ex2_approx, "ex2.approx.ftz.f32")
UNARY(lg2_approx, "lg2.approx.ftz.f32")
UNARY(sin_approx, "sin.approx.ftz.f32")
UNARY(cos_approx, "cos.approx.ftz.f32")
UNARY(tanh_approx, "tanh.approx.f32")
UNARY(rcp_round_down, "rcp.rm.f32")
UNARY(sqrt_toward_zero, "sqrt.rz.f32")
BINARY(div_approx, "div.approx.ftz.f32")
BINARY(div_full, "div.full.ftz.f32")
BINARY(add_toward_zero, "add.rz.f32")
BINARY(add_round_up, "add.rp.f32")
BINARY(mul_round_down, "mul.rm.f32")
BINARY(add_flushing, "add.ftz.f32")
BINARY(mul_flushing_saturating, "mul.ftz.sat.f32")
BINARY(min_nan, "min.NaN.f32")
BINARY(max_abs, "max.xorsign.abs.f32")
BINARY(copysign_ptx, "copysign.f32")

constexpr int functions = 48;
__device__ inline void sweep(float x, float y, float* out, int count) {
  int f = 0;
  const auto put = [&](float value) { out[f++ * count] = value; };
  put(x + y);
  put(x - y);
  put(x * y);
  put(fmaf(x, y, x));
  put(x / y);
  put(sqrtf(x));
  put(__frcp_rn(x));
  put(rcp_round_down(x));
  put(sqrt_toward_zero(x));
  put(add_toward_zero(x, y));
  put(add_round_up(x, y));
  put(mul_round_down(x, y));
  put(__fmaf_ru(x, y, 1.0f));
  put(add_flushing(x, y));
  put(mul_flushing_saturating(x, y));
  put(fminf(x, y));
  put(fmaxf(x, y));
  put(min_nan(x, y));
  put(max_abs(x, y));
  put(copysign_ptx(x, y));
  put(floorf(x));
  put(ceilf(x));
  put(truncf(x));
  put(rintf(x));
  put(fabsf(x) - y);
  put(__saturatef(x));
  put(x < y ? x : y);
  put(fmodf(x, y));
  put(sinf(x));
  put(cosf(x));
  put(logf(x));
  put(log1pf(x));
  put(erff(x));
  put(cbrtf(x));
  put(atan2f(x, y));
  put(rcp_approx(x));
  put(sqrt_approx(x));
  put(rsqrt_approx(x));
  put(ex2_approx(x));
  put(lg2_approx(x));
  put(sin_approx(x));
  put(cos_approx(x));
  put(tanh_approx(x));
  put(div_approx(x, y));
  put(div_full(x, y));
  put(expf(x));
  put(exp2f(x));
  put(tanhf(x));
}

#elif SWEEP == PACKED
using Input = unsigned;
using Output = unsigned;
#define UNARY(NAME, TEXT)                         \
  __device__ inline unsigned NAME(unsigned x) {   \
    unsigned result;                              \
    asm(TEXT " %0, %1;" : "=r"(result) : "r"(x)); \
    return result;                                \
  }
#define BINARY(NAME, TEXT)                                    \
  __device__ inline unsigned NAME(unsigned x, unsigned y) {   \
    unsigned result;                                          \
    asm(TEXT " %0, %1, %2;" : "=r"(result) : "r"(x), "r"(y)); \
    return result;                                            \
  }
#define TERNARY(NAME, TEXT)                                                \
  __device__ inline unsigned NAME(unsigned x, unsigned y, unsigned z) {    \
    unsigned result;                                                       \
    asm(TEXT " %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));  \
    return result;                                                         \
  }
BINARY(add_f16x2, "add.rn.f16x2")
BINARY(sub_f16x2, "sub.rn.f16x2")
BINARY(mul_f16x2, "mul.rn.f16x2")
TERNARY(fma_f16x2, "fma.rn.f16x2")
TERNARY(fma_f16x2_relu, "fma.rn.relu.f16x2")
BINARY(add_f16x2_ftz, "add.rn.ftz.f16x2")
BINARY(min_f16x2, "min.f16x2")
BINARY(max_f16x2_nan, "max.NaN.f16x2")
UNARY(neg_f16x2, "neg.f16x2")
UNARY(abs_f16x2, "abs.f16x2")
BINARY(set_f16x2, "set.lt.f16x2.f16x2")
TERNARY(fma_bf16x2, "fma.rn.bf16x2")
BINARY(min_bf16x2, "min.bf16x2")
BINARY(max_bf16x2, "max.bf16x2")
UNARY(neg_bf16x2, "neg.bf16x2")
UNARY(ex2_f16x2, "ex2.approx.f16x2")
UNARY(tanh_f16x2, "tanh.approx.f16x2")
UNARY(ex2_bf16x2, "ex2.approx.ftz.bf16x2")
UNARY(tanh_bf16x2, "tanh.approx.bf16x2")

constexpr int functions = 19;
__device__ inline void sweep(unsigned x, unsigned y, unsigned* out, int count) {
  int f = 0;
  const auto put = [&](unsigned value) { out[f++ * count] = value; };
  put(add_f16x2(x, y));
  put(sub_f16x2(x, y));
  put(mul_f16x2(x, y));
  put(fma_f16x2(x, y, x));
  put(fma_f16x2_relu(x, y, x));
  put(add_f16x2_ftz(x, y));
  put(min_f16x2(x, y));
  put(max_f16x2_nan(x, y));
  put(neg_f16x2(x));
  put(abs_f16x2(x));
  put(set_f16x2(x, y));
  put(fma_bf16x2(x, y, x));
  put(min_bf16x2(x, y));
  put(max_bf16x2(x, y));
  put(neg_bf16x2(x));
  put(ex2_f16x2(x));
  put(tanh_f16x2(x));
  put(ex2_bf16x2(x));
  put(tanh_bf16x2(x));
}

#elif SWEEP == INTEGERS
using Input = unsigned;
using Output = unsigned;
#define TERNARY(NAME, TEXT)                                               \
  __device__ inline unsigned NAME(unsigned x, unsigned y, unsigned z) {   \
    unsigned result;                                                      \
    asm(TEXT " %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z)); \
    return result;                                                        \
  }
#define BINARY(NAME, TEXT)                                    \
  __device__ inline unsigned NAME(unsigned x, unsigned y) {   \
    unsigned result;                                          \
    asm(TEXT " %0, %1, %2;" : "=r"(result) : "r"(x), "r"(y)); \
    return result;                                            \
  }
#define UNARY(NAME, TEXT)                         \
  __device__ inline unsigned NAME(unsigned x) {   \
    unsigned result;                              \
    asm(TEXT " %0, %1;" : "=r"(result) : "r"(x)); \
    return result;                                \
  }
BINARY(shl, "shl.b32")
BINARY(shr_u, "shr.u32")
BINARY(shr_s, "shr.s32")
TERNARY(bfe_u, "bfe.u32")
TERNARY(bfe_s, "bfe.s32")
TERNARY(prmt, "prmt.b32")
TERNARY(prmt_f4e, "prmt.b32.f4e")
TERNARY(prmt_ecl, "prmt.b32.ecl")
TERNARY(prmt_rc16, "prmt.b32.rc16")
TERNARY(shf_l_wrap, "shf.l.wrap.b32")
TERNARY(shf_r_clamp, "shf.r.clamp.b32")
TERNARY(sad_s, "sad.s32")
TERNARY(mad_hi, "mad.hi.s32")
TERNARY(mul24_mad, "mad24.lo.s32")
TERNARY(dp4a_su, "dp4a.s32.u32")
TERNARY(dp2a_lo, "dp2a.lo.s32.s32")
UNARY(bfind_s, "bfind.s32")
UNARY(bfind_shift, "bfind.shiftamt.u32")
UNARY(brev, "brev.b32")
UNARY(cnot, "cnot.b32")
BINARY(sat_add, "add.sat.s32")
BINARY(sat_sub, "sub.sat.s32")

__device__ inline unsigned bfi(unsigned x, unsigned y, unsigned position, unsigned length) {
  unsigned result;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(x), "r"(y), "r"(position), "r"(length));
  return result;
}
template <int TABLE>
__device__ inline unsigned lop3(unsigned x, unsigned y, unsigned z) {
  unsigned result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(x), "r"(y), "r"(z), "n"(TABLE));
  return result;
}
__device__ inline unsigned with_carry(unsigned x, unsigned y) {
  unsigned low, high;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, %3;" : "=r"(low), "=r"(high) : "r"(x), "r"(y));
  return low ^ high * 0x9e3779b9u;
}

constexpr int functions = 46;
__device__ inline void sweep(unsigned x, unsigned y, unsigned* out, int count) {
  int f = 0;
  const auto put = [&](unsigned value) { out[f++ * count] = value; };
  const int sx = static_cast<int>(x), sy = static_cast<int>(y);
  const unsigned z = x * 2654435761u ^ y;
  const long long lx = static_cast<long long>(sx) * sy + z;
  const unsigned long long ux = static_cast<unsigned long long>(x) << 32 | z;
  put(x + y);
  put(x * y);
  put(__umulhi(x, y));
  put(static_cast<unsigned>(__mulhi(sx, sy)));
  put(y == 0 ? 0 : x / y);
  put(y == 0 ? 0 : x % y);
  put(sy == 0 || sy == -1 ? 0 : static_cast<unsigned>(sx / sy));
  put(sy == 0 || sy == -1 ? 0 : static_cast<unsigned>(sx % sy));
  put(sy == 0 || sy == -1 ? 0 : static_cast<unsigned>(lx / sy));
  put(y == 0 ? 0 : static_cast<unsigned>(ux % y));
  put(static_cast<unsigned>(lx >> 17));
  put(static_cast<unsigned>(__mul64hi(lx, static_cast<long long>(ux))));
  put(static_cast<unsigned>(__umul64hi(ux, ux) >> 32));
  put(static_cast<unsigned>(min(sx, sy)));
  put(max(x, y));
  put(static_cast<unsigned>(abs(sx)));
  put(static_cast<unsigned>(__popc(x) + 64 * __popcll(ux)));
  put(static_cast<unsigned>(__clz(sx) + 64 * __clzll(lx)));
  put(static_cast<unsigned>(__ffs(sx)));
  put(shl(x, y & 63));
  put(shr_u(x, y & 63));
  put(shr_s(x, y & 63));
  put(shl(x, y));
  put(bfe_u(x, y & 63, z & 63));
  put(bfe_s(x, y & 63, z & 63));
  put(bfi(x, y, z & 63, z >> 8 & 63));
  put(prmt(x, y, z));
  put(prmt_f4e(x, y, z));
  put(prmt_ecl(x, y, z));
  put(prmt_rc16(x, y, z));
  put(shf_l_wrap(x, y, z));
  put(shf_r_clamp(x, y, z & 63));
  put(sad_s(x, y, z));
  put(mad_hi(x, y, z));
  put(mul24_mad(x, y, z));
  put(dp4a_su(x, y, z));
  put(dp2a_lo(x, y, z));
  put(bfind_s(x));
  put(bfind_shift(x));
  put(brev(x));
  put(cnot(x & 1));
  put(sat_add(x, y));
  put(sat_sub(x, y));
  put(lop3<0x96>(x, y, z));
  put(lop3<0xca>(x, y, z));
  put(with_carry(x, y));
}

#elif SWEEP == CONVERSIONS
using Input = float;
using Output = unsigned;
#define TO_32(NAME, TEXT)                         \
  __device__ inline unsigned NAME(float x) {      \
    unsigned result;                              \
    asm(TEXT " %0, %1;" : "=r"(result) : "f"(x)); \
    return result;                                \
  }
#define TO_16(NAME, TEXT)                         \
  __device__ inline unsigned NAME(float x) {      \
    unsigned short result;                        \
    asm(TEXT " %0, %1;" : "=h"(result) : "f"(x)); \
    return result;                                \
  }
#define FROM_16(NAME, TEXT)                       \
  __device__ inline unsigned NAME(unsigned x) {   \
    float result;                                 \
    asm(TEXT " %0, %1;" : "=f"(result) : "h"(static_cast<unsigned short>(x))); \
    return __float_as_uint(result);               \
  }
TO_32(rni_s32, "cvt.rni.s32.f32")
TO_32(rzi_u32, "cvt.rzi.u32.f32")
TO_32(rmi_s32_ftz, "cvt.rmi.ftz.s32.f32")
TO_32(rpi_s32, "cvt.rpi.s32.f32")
TO_32(rzi_s8, "cvt.rzi.s8.f32")
TO_32(rni_u8_sat, "cvt.rni.sat.u8.f32")
TO_32(tf32_rna, "cvt.rna.tf32.f32")
TO_16(f16_rn, "cvt.rn.f16.f32")
TO_16(f16_rz, "cvt.rz.f16.f32")
TO_16(f16_rn_relu, "cvt.rn.relu.f16.f32")
TO_16(bf16_rn, "cvt.rn.bf16.f32")
TO_16(bf16_rz, "cvt.rz.bf16.f32")
FROM_16(f32_of_f16, "cvt.f32.f16")
FROM_16(f32_of_u16, "cvt.rn.f32.u16")
__device__ inline unsigned f16x2_rn(float x, float y) {
  unsigned result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(x), "f"(y));
  return result;
}
__device__ inline unsigned bf16x2_rn(float x, float y) {
  unsigned result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(x), "f"(y));
  return result;
}

constexpr int functions = 28;
__device__ inline void sweep(float x, float y, unsigned* out, int count) {
  int f = 0;
  const auto put = [&](unsigned value) { out[f++ * count] = value; };
  const unsigned bits = __float_as_uint(x);
  const unsigned long long wide = static_cast<unsigned long long>(bits) << 21 | __float_as_uint(y) >> 3;
  put(rni_s32(x));
  put(rzi_u32(x));
  put(rmi_s32_ftz(x));
  put(rpi_s32(x));
  put(rzi_s8(x) & 0xff);
  put(rni_u8_sat(x) & 0xff);
  put(tf32_rna(x));
  put(f16_rn(x));
  put(f16_rz(x));
  put(f16_rn_relu(x));
  put(bf16_rn(x));
  put(bf16_rz(x));
  put(f16x2_rn(x, y));
  put(bf16x2_rn(x, y));
  put(f32_of_f16(bits));
  put(f32_of_u16(bits));
  put(__float_as_uint(static_cast<float>(bits)));
  put(__float_as_uint(static_cast<float>(static_cast<int>(bits))));
  put(__float_as_uint(static_cast<float>(wide)));
  put(__float_as_uint(__ll2float_rz(static_cast<long long>(wide))));
  put(static_cast<unsigned>(__float2ll_rn(x)));
  put(static_cast<unsigned>(__float2ull_rz(x) >> 20));
  put(static_cast<unsigned>(__double_as_longlong(static_cast<double>(x)) >> 29));
  put(__float_as_uint(__double2float_rn(static_cast<double>(x) * y)));
  put(__float_as_uint(__double2float_rd(static_cast<double>(x) * 1.1)));
  put(static_cast<unsigned>(__double2int_rn(static_cast<double>(x) * 0.7)));
  put(static_cast<unsigned>(static_cast<signed char>(bits)) ^ static_cast<unsigned short>(bits));
  put(static_cast<unsigned>(__double2ll_rz(static_cast<double>(x) * 1e6) >> 7));
}

#else
using Input = double;
using Output = double;

constexpr int functions = 12;
__device__ inline void sweep(double x, double y, double* out, int count) {
  int f = 0;
  const auto put = [&](double value) { out[f++ * count] = value; };
  put(x + y);
  put(x * y);
  put(fma(x, y, x));
  put(x / y);
  put(sqrt(x));
  put(__drcp_rn(x));
  put(fmin(x, y));
  put(fmax(x, y));
  put(floor(x));
  put(rint(x));
  put(exp(x));
  put(log(x));
}
#endif

extern "C" __global__ void arithmetic_sweep(const Input* x, const Input* y, Output* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sweep(x[i], y[i], out + i, count);
  static_assert(functions == FUNCTIONS, "the host's list of functions has another length");
}
