#include "profiler/execution/sass/tests/random_programs/random_expressions.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace tilescope::random_programs {

const char* const helpers = R"(
// All NaN are one: operations may choose their bits.
__device__ __forceinline__ unsigned bits(float x) { return x != x ? 0x7fffffffu : __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits(double x) {
  return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
}
__device__ __forceinline__ unsigned bits_of_halves(unsigned x) {
  if ((x & 0x7fffu) > 0x7c00u) x = (x & 0xffff0000u) | 0x7fffu;
  return (x >> 16 & 0x7fffu) > 0x7c00u ? (x & 0xffffu) | 0x7fff0000u : x;
}
#define HALVES(name, code)                                                                       \
  __device__ __forceinline__ unsigned name(unsigned a, unsigned b, unsigned c) {                 \
    unsigned d;                                                                                  \
    asm(code : "=r"(d) : "r"(a), "r"(b), "r"(c));                                                \
    return d;                                                                                    \
  }
HALVES(add_halves, "add.rn.f16x2 %0, %1, %2;")
HALVES(sub_halves, "sub.rn.f16x2 %0, %1, %2;")
HALVES(multiply_halves, "mul.rn.f16x2 %0, %1, %2;")
HALVES(fma_halves, "fma.rn.f16x2 %0, %1, %2, %3;")
HALVES(fma_bf16, "fma.rn.bf16x2 %0, %1, %2, %3;")
HALVES(least_halves, "min.f16x2 %0, %1, %2;")
HALVES(most_halves, "max.f16x2 %0, %1, %2;")
__device__ __forceinline__ unsigned pack_halves(float high, float low) {
  unsigned d;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}
__device__ __forceinline__ unsigned pack_bf16(float high, float low) {
  unsigned d;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}
__device__ __forceinline__ float low_half(unsigned x) {
  float d;
  asm("{ .reg .f16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }" : "=f"(d) : "r"(x));
  return d;
}
__device__ __forceinline__ unsigned lop(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("lop3.b32 %0, %1, %2, %3, 0x9a;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned field(unsigned a, unsigned at, unsigned count) {
  unsigned d;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(at), "r"(count));
  return d;
}
__device__ __forceinline__ unsigned insert(unsigned a, unsigned b, unsigned at, unsigned count) {
  unsigned d;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(at), "r"(count));
  return d;
}
)";

namespace {

constexpr std::string_view of_i32[] = {"(%i + %i)",
                                       "(%i - %i)",
                                       "(%i * %i)",
                                       "(%i & %i)",
                                       "(%i | %i)",
                                       "(%i ^ %i)",
                                       "(~%i)",
                                       "(-%i)",
                                       "(%i << (%u & 31))",
                                       "(%i >> (%u & 31))",
                                       "(%c ? %i : %i)",
                                       "min(%i, %i)",
                                       "max(%i, %i)",
                                       "abs(%i)",
                                       "__popc(%u)",
                                       "__clz(%i)",
                                       "__ffs(%i)",
                                       "(%i / ((%i & 0xffff) + 1))",
                                       "(%i % ((%i & 0xff) + 1))",
                                       "__mulhi(%i, %i)",
                                       "(int)%l",
                                       "(int)(%l >> 32)",
                                       "(int)(short)%i",
                                       "(int)(signed char)%i",
                                       "__dp4a(%i, %i, %i)",
                                       "__float2int_rz(%f)",
                                       "__float2int_rn(%f)",
                                       "__float2int_rd(%f)",
                                       "(int)%d",
                                       "(int)bits(%f)",
                                       "(%i * %i + %i)",
                                       "(%i + 5 * %i)",
                                       "(%i / 7)",
                                       "(%i % 10)",
                                       "local[%u & 7]",
                                       "(int)(%l / ((%l & 0xffffff) + 1))",
                                       "__popcll(%m)",
                                       "__clzll(%l)",
                                       "((const short*)in)[%u & 2047]",
                                       "((const signed char*)in)[%u & 4095]",
                                       "(%c ? %i + 1 : %i)",
                                       "__mul24(%i, %i)",
                                       "(int)__sad(%i, %i, %u)"};
constexpr std::string_view of_u32[] = {"(%u + %u)",
                                       "(%u - %u)",
                                       "(%u * %u)",
                                       "(%u & %u)",
                                       "(%u | %u)",
                                       "(%u ^ %u)",
                                       "(%u << (%u & 31))",
                                       "(%u >> (%u & 31))",
                                       "(%c ? %u : %u)",
                                       "min(%u, %u)",
                                       "max(%u, %u)",
                                       "__brev(%u)",
                                       "__umulhi(%u, %u)",
                                       "__byte_perm(%u, %u, %u)",
                                       "__funnelshift_l(%u, %u, %u)",
                                       "__funnelshift_r(%u, %u, %u)",
                                       "__funnelshift_rc(%u, %u, %u)",
                                       "(%u / (%u | 1))",
                                       "(%u % (%u | 1))",
                                       "(unsigned)%i",
                                       "(unsigned)(%m >> 32)",
                                       "__float2uint_rz(%f)",
                                       "lop(%u, %u, %u)",
                                       "field(%u, %u & 31, %u & 31)",
                                       "insert(%u, %u, %u & 31, %u & 31)",
                                       "in[%u & 1023]",
                                       "((const unsigned char*)in)[%u & 4095]",
                                       "(unsigned)(%m % (%m | 1))",
                                       "(%u / 1000)",
                                       "bits_of_halves(%h)",
                                       "(%u < %u ? %u - %u : %u + %u)"};
constexpr std::string_view of_i64[] = {"(%l + %l)",
                                       "(%l - %l)",
                                       "(%l * %l)",
                                       "(%l & %l)",
                                       "(%l ^ %l)",
                                       "(%l << (%u & 63))",
                                       "(%l >> (%u & 63))",
                                       "(%c ? %l : %l)",
                                       "min(%l, %l)",
                                       "(long long)%i",
                                       "((long long)%i * %i)",
                                       "((long long)%i * %i + %l)",
                                       "__mul64hi(%l, %l)",
                                       "(long long)%m",
                                       "__float2ll_rz(%f)",
                                       "(long long)%d",
                                       "(%l / ((%l & 0xfffff) + 3))",
                                       "(-%l)",
                                       "*(const long long*)(in + 2 * (%u & 511))"};
constexpr std::string_view of_u64[] = {"(%m + %m)",
                                       "(%m - %m)",
                                       "(%m * %m)",
                                       "(%m | %m)",
                                       "(%m >> (%u & 63))",
                                       "(%m << (%u & 63))",
                                       "__brevll(%m)",
                                       "((unsigned long long)%u * %u)",
                                       "((unsigned long long)%u * %u + %m)",
                                       "(unsigned long long)%l",
                                       "bits(%d)",
                                       "max(%m, %m)",
                                       "__umul64hi(%m, %m)",
                                       "(%c ? %m : %m)",
                                       "((unsigned long long)%u << 32)"};
constexpr std::string_view of_f32[] = {"(%f + %f)",
                                       "(%f - %f)",
                                       "(%f * %f)",
                                       "fmaf(%f, %f, %f)",
                                       "(%c ? %f : %f)",
                                       "fminf(%f, %f)",
                                       "fmaxf(%f, %f)",
                                       "fabsf(%f)",
                                       "(-%f)",
                                       "(%f / %f)",
                                       "__frcp_rn(%f)",
                                       "__fsqrt_rn(%f)",
                                       "(float)%i",
                                       "(float)%u",
                                       "(float)%l",
                                       "(float)%m",
                                       "(float)%d",
                                       "rintf(%f)",
                                       "floorf(%f)",
                                       "ceilf(%f)",
                                       "truncf(%f)",
                                       "__saturatef(%f)",
                                       "__fadd_rz(%f, %f)",
                                       "__fmul_ru(%f, %f)",
                                       "__fmaf_rd(%f, %f, %f)",
                                       "__uint_as_float(%u)",
                                       "low_half(%h)",
                                       "copysignf(%f, %f)",
                                       "__int2float_rz(%i)",
                                       "(%f + 1.5f * %f)",
                                       "__double2float_rz(%d)"};
constexpr std::string_view of_f64[] = {"(%d + %d)",
                                       "(%d - %d)",
                                       "(%d * %d)",
                                       "fma(%d, %d, %d)",
                                       "(%c ? %d : %d)",
                                       "(double)%f",
                                       "(double)%i",
                                       "(double)%l",
                                       "fmin(%d, %d)",
                                       "fabs(%d)",
                                       "(-%d)",
                                       "(%d / %d)",
                                       "__dsqrt_rn(fabs(%d))",
                                       "rint(%d)",
                                       "__dadd_rd(%d, %d)"};
constexpr std::string_view of_halves[] = {"add_halves(%h, %h, 0)",
                                          "sub_halves(%h, %h, 0)",
                                          "multiply_halves(%h, %h, 0)",
                                          "fma_halves(%h, %h, %h)",
                                          "least_halves(%h, %h, 0)",
                                          "most_halves(%h, %h, 0)",
                                          "pack_halves(%f, %f)",
                                          "%u",
                                          "(%c ? %h : %h)",
                                          "(%h ^ 0x80000000u)"};
constexpr std::string_view of_truth[] = {
    "(%i < %i)",  "(%i == %i)",      "(%u < %u)",        "(%u >= %u)", "(%l < %l)",  "(%m <= %m)",
    "(%f < %f)",  "(%f == %f)",      "!(%f >= %f)",      "(%d < %d)",  "(%d != %d)", "(%c && %c)",
    "(%c || %c)", "((%i & 1) != 0)", "((%u & 12) == 4)", "(%i < 0)",   "(%c != %c)", "(%f != %f)"};

std::span<const std::string_view> patterns_of(Type type) {
  switch (type) {
    case Type::i32:
      return of_i32;
    case Type::u32:
      return of_u32;
    case Type::i64:
      return of_i64;
    case Type::u64:
      return of_u64;
    case Type::f32:
      return of_f32;
    case Type::f64:
      return of_f64;
    case Type::halves:
      return of_halves;
    case Type::truth:
      return of_truth;
  }
  return {};
}

}  // namespace

std::string Expressions::variable(Type type) {
  switch (type) {
    case Type::i32:
      return fmt::format("a{}", below(4));
    case Type::u32:
      return fmt::format("u{}", below(4));
    case Type::f32:
      return fmt::format("f{}", below(3));
    default:
      return fmt::format("{}{}", static_cast<char>(type), below(2));
  }
}

std::string Expressions::leaf(Type type) {
  if (type == Type::truth) return fmt::format("(a{} > u{})", below(4), below(4));
  if (!one_in(4)) return variable(type);
  constexpr std::string_view reals[] = {"0.0", "1.0", "-2.5", "0.125", "3.0e7", "-1.0e-6", "255.0"};
  constexpr std::string_view integers[] = {"0", "1", "-1", "7", "255", "0x10001", "-100", "0x7fffffff"};
  const std::string_view real = reals[below(std::size(reals))],
                         integer = integers[below(std::size(integers))];
  switch (type) {
    case Type::f32:
      return fmt::format("({}f)", real);
    case Type::f64:
      return fmt::format("({})", real);
    case Type::i64:
      return fmt::format("({}ll)", integer);
    case Type::u64:
      return fmt::format("(unsigned long long)({})", integer);
    case Type::halves:
      return "0x3c00c100u";
    case Type::u32:
      return fmt::format("(unsigned)({})", integer);
    default:
      return fmt::format("({})", integer);
  }
}

std::string Expressions::fill(std::string_view pattern, int depth) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_place = pattern[i] == '%' && i + 1 < pattern.size() &&
                          std::string_view("iulmfdhc").find(pattern[i + 1]) != std::string_view::npos;
    if (is_place) {
      text += expression(static_cast<Type>(pattern[++i]), depth - 1);
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string Expressions::expression(Type type, int depth) {
  if (depth <= 0 || one_in(8)) return leaf(type);
  if (functions > 0 && type == Type::i32 && one_in(12))
    return fill(fmt::format("function_{}(%i, %f, %l, in)", below(static_cast<unsigned>(functions))), depth);
  const auto patterns = patterns_of(type);
  return fill(patterns[below(static_cast<unsigned>(patterns.size()))], depth);
}

}  // namespace tilescope::random_programs
