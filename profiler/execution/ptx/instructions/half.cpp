#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#ifndef TILESCOPE_PROFILER_PTX_HALF_MINMAX
#define TILESCOPE_PROFILER_PTX_HALF_MINMAX
namespace tilescope::ptx {
// Instruction::immediate of min and max.
inline constexpr std::int64_t keep_nan_bit = 1, xor_sign_bit = 2;
}  // namespace tilescope::ptx
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/half.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/half_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/transcendental-inl.hpp"

// f16 and bf16, single and packed in pairs: promoted to floats, computed there, rounded once.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <int per_lane>
constexpr int half_count = per_lane* lane_count;

// The halves of a register as floats, denormals flushed for .ftz.
template <class Format, int per_lane>
HWY_INLINE void promote_register(const Warp& warp, Slot slot, bool flush, float* value) {
  constexpr int count = half_count<per_lane>;
  const std::uint16_t* half = warp.read<std::uint16_t>(slot);
  if (!flush) {
    Format::template promote<count>(half, value);
    return;
  }
  alignas(64) std::uint16_t without[count];
  for (int k = 0; k < count; ++k) without[k] = flushed_half<Format>(half[k]);
  Format::template promote<count>(without, value);
}

template <int per_lane>
HWY_INLINE void store_halves(Warp& warp, Slot d, const std::uint16_t* half) {
  if constexpr (per_lane == 1) {
    for_lanes(
        warp.exec, warp.write<std::uint16_t>(d), [](std::uint16_t value) { return value; }, half);
  } else {
    for_lanes(
        warp.exec, warp.write<std::uint32_t>(d), [](std::uint32_t value) { return value; },
        reinterpret_cast<const std::uint32_t*>(half));
  }
}

// Rounds results, after .sat and .relu, and stores them in the lanes that are on.
template <class Format, int per_lane>
HWY_INLINE void demote_register(Warp& warp, const Instruction& i, float* value) {
  constexpr int count = half_count<per_lane>;
  if ((i.flags & saturate_flag) != 0) {
    for (int k = 0; k < count; ++k) value[k] = saturated_single(value[k]);
  }
  if ((i.flags & relu_flag) != 0) {
    for (int k = 0; k < count; ++k) value[k] = relu_of(value[k]);
  }
  alignas(64) std::uint16_t half[count];
  Format::template demote<count>(value, half);
  if ((i.flags & flush_flag) != 0) {
    for (int k = 0; k < count; ++k) half[k] = flushed_half<Format>(half[k]);
  }
  store_halves<per_lane>(warp, i.d, half);
}

template <class Operation, class Format, int per_lane>
void half_unary(Warp& warp, const Instruction& i) {
  constexpr int count = half_count<per_lane>;
  alignas(64) float a[count];
  promote_register<Format, per_lane>(warp, i.a, (i.flags & flush_flag) != 0, a);
  for (int k = 0; k < count; ++k) a[k] = Operation{}(a[k]);
  demote_register<Format, per_lane>(warp, i, a);
}
template <class Format, int per_lane, class Operation>
HWY_INLINE void half_binary_by(Warp& warp, const Instruction& i, Operation operation) {
  constexpr int count = half_count<per_lane>;
  alignas(64) float a[count], b[count];
  const bool flush = (i.flags & flush_flag) != 0;
  promote_register<Format, per_lane>(warp, i.a, flush, a);
  promote_register<Format, per_lane>(warp, i.b, flush, b);
  for (int k = 0; k < count; ++k) a[k] = operation(a[k], b[k]);
  demote_register<Format, per_lane>(warp, i, a);
}
template <class Operation, class Format, int per_lane>
void half_binary(Warp& warp, const Instruction& i) {
  half_binary_by<Format, per_lane>(warp, i, Operation{});
}

struct HalfDifference {
  float operator()(float a, float b) const { return a - b; }
};
struct HalfExponential {
  float operator()(float a) const { return exponential_2(a); }
};
struct HalfTangent {
  float operator()(float a) const { return hyperbolic_tangent(a); }
};
template <class Operation, class Format, int per_lane>
void half_fused(Warp& warp, const Instruction& i) {
  constexpr int count = half_count<per_lane>;
  alignas(64) float a[count], b[count], c[count];
  const bool flush = (i.flags & flush_flag) != 0;
  promote_register<Format, per_lane>(warp, i.a, flush, a);
  promote_register<Format, per_lane>(warp, i.b, flush, b);
  promote_register<Format, per_lane>(warp, i.c, flush, c);
  for (int k = 0; k < count; ++k) a[k] = Operation{}(a[k], b[k], c[k]);
  demote_register<Format, per_lane>(warp, i, a);
}

// neg and abs only change the sign: `immediate` holds the bits to flip and `target` the bits to keep of each half.
template <class Format, int per_lane>
void half_sign(Warp& warp, const Instruction& i) {
  constexpr int count = half_count<per_lane>;
  const std::uint16_t* a = warp.read<std::uint16_t>(i.a);
  const auto flip = static_cast<std::uint16_t>(i.immediate), keep = static_cast<std::uint16_t>(i.target);
  const bool flush = (i.flags & flush_flag) != 0;
  alignas(64) std::uint16_t half[count];
  for (int k = 0; k < count; ++k) {
    const std::uint16_t value = flush ? flushed_half<Format>(a[k]) : a[k];
    half[k] = static_cast<std::uint16_t>((value ^ flip) & keep);
  }
  store_halves<per_lane>(warp, i.d, half);
}

template <class Format, class Fused, int per_lane>
Handler half_arithmetic(std::string_view opcode) {
  if (opcode == "add") return half_binary<HalfSum, Format, per_lane>;
  if (opcode == "sub") return half_binary<HalfDifference, Format, per_lane>;
  if (opcode == "mul") return half_binary<HalfProduct, Format, per_lane>;
  if (opcode == "ex2") return half_unary<HalfExponential, Format, per_lane>;
  if (opcode == "tanh") return half_unary<HalfTangent, Format, per_lane>;
  if (opcode == "fma") return half_fused<Fused, Format, per_lane>;
  return half_sign<Format, per_lane>;
}
template <class Format, int per_lane, bool maximum>
void half_minmax(Warp& warp, const Instruction& i) {
  half_binary_by<Format, per_lane>(
      warp, i, HalfMinMax<maximum>{(i.immediate & keep_nan_bit) != 0, (i.immediate & xor_sign_bit) != 0});
}
template <class Format, int per_lane>
Handler half_extremum(bool maximum) {
  return maximum ? half_minmax<Format, per_lane, true> : half_minmax<Format, per_lane, false>;
}

Handler HalfHandler(std::string_view opcode, Type type) {
  switch (type) {
    case Type::f16:
      return half_arithmetic<F16, FusedF16, 1>(opcode);
    case Type::f16x2:
      return half_arithmetic<F16, FusedF16, 2>(opcode);
    case Type::bf16:
      return half_arithmetic<BF16, FusedBF16, 1>(opcode);
    default:
      return half_arithmetic<BF16, FusedBF16, 2>(opcode);
  }
}
Handler HalfMinMaxHandler(bool maximum, Type type) {
  switch (type) {
    case Type::f16:
      return half_extremum<F16, 1>(maximum);
    case Type::f16x2:
      return half_extremum<F16, 2>(maximum);
    case Type::bf16:
      return half_extremum<BF16, 1>(maximum);
    default:
      return half_extremum<BF16, 2>(maximum);
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(HalfHandler);
HWY_EXPORT(HalfMinMaxHandler);

void decode_extremum(Decoder& decoder, Instruction& instruction) {
  FloatForm form;
  form.flush = decoder.take("ftz");
  const bool keep_nan = decoder.take("NaN");
  const bool xor_sign = decoder.take("xorsign");
  if (xor_sign && !decoder.take("abs")) decoder.unsupported(".xorsign without .abs");
  const Type type = decoder.take_type();
  set_form(instruction, form);
  instruction.immediate = (keep_nan ? keep_nan_bit : 0) | (xor_sign ? xor_sign_bit : 0);
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfMinMaxHandler)(decoder.opcode() == "max", type);
  decode_operands(decoder, instruction, type, type, type);
}

}  // namespace

void decode_half(Decoder& decoder, Instruction& instruction) {
  const std::string_view opcode = decoder.opcode();
  if (opcode == "min" || opcode == "max") return decode_extremum(decoder, instruction);
  const bool approximate = opcode == "ex2" || opcode == "tanh";
  const bool sign = opcode == "neg" || opcode == "abs";
  const bool arithmetic = opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "fma";
  if (!approximate && !sign && !arithmetic) decoder.unsupported("this operation on halves");
  if (approximate && !decoder.take("approx")) decoder.unsupported("only the .approx form is executed");
  FloatForm form;
  if (arithmetic) decoder.take("rn");
  form.flush = decoder.take("ftz");
  form.saturate = arithmetic && decoder.take("sat");
  form.relu = opcode == "fma" && decoder.take("relu");
  const Type type = decoder.take_type();
  set_form(instruction, form);
  decoder.set_pipe(approximate ? Pipe::mufu : sign ? Pipe::alu : Pipe::fma);
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfHandler)(opcode, type);
  instruction.immediate = opcode == "neg" ? 0x8000 : 0;
  instruction.target = opcode == "abs" ? 0x7fff : 0xffff;
  decode_operands(decoder, instruction, type, type);
  if (!sign && !approximate) instruction.b = decoder.read(2, type);
  if (opcode == "fma") instruction.c = decoder.read(3, type);
}

}  // namespace tilescope::ptx
#endif
