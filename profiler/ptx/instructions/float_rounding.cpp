#include "profiler/ptx/instructions/families.hpp"
#include "profiler/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/ptx/instructions/float_rounding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/ptx/instructions/float_operations-inl.hpp"
#include "profiler/ptx/instructions/lane_loops-inl.hpp"

// Sums, products and fused products rounded toward zero, down or up, without touching the processor's rounding mode:
// the exact value first, then its nearest number, moved by one where that lies on the wrong side.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {

// A sum that is exactly zero is -0 when rounded down unless both terms are +0.
HWY_INLINE float with_zero_sign(float sum, double a, double b, Rounding rounding) {
  const bool negative = ((bits_of(a) | bits_of(b)) >> 63) != 0;
  return sum == 0.0f && rounding == Rounding::down && a + b == 0.0 && negative ? -0.0f : sum;
}

HWY_INLINE float rounded_sum(double a, double b, Rounding rounding) {
  return with_zero_sign(round_single(exact_sum(a, b), rounding), a, b, rounding);
}

template <class Operation>
void rounded_binary(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const auto operation = [=](float a, float b) {
    return output(Operation{}(input(a, flush), input(b, flush), rounding), flush, saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b));
}

struct RoundedSum {
  float operator()(float a, float b, Rounding rounding) const { return rounded_sum(a, b, rounding); }
};
struct RoundedDifference {
  float operator()(float a, float b, Rounding rounding) const { return rounded_sum(a, -b, rounding); }
};
struct RoundedProduct {
  float operator()(float a, float b, Rounding rounding) const {
    return round_single({double{a} * double{b}, 0.0}, rounding);
  }
};

// The product of two floats is an exact double.
void rounded_fma(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const auto operation = [=](float a, float b, float c) {
    const double product = double{input(a, flush)} * double{input(b, flush)};
    return output(rounded_sum(product, input(c, flush), rounding), flush, saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b),
            warp.read<float>(i.c));
}

Handler RoundedSingle(std::string_view opcode) {
  if (opcode == "add") return rounded_binary<RoundedSum>;
  if (opcode == "sub") return rounded_binary<RoundedDifference>;
  if (opcode == "mul") return rounded_binary<RoundedProduct>;
  return rounded_fma;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(RoundedSingle);

Handler directed_arithmetic(std::string_view opcode, Type type) {
  return type == Type::f64 ? directed_double(opcode) : HWY_DYNAMIC_DISPATCH(RoundedSingle)(opcode);
}

}  // namespace tilescope::ptx
#endif
