#include <cmath>
#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/float_division.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

struct FloatQuotient {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
// div.approx multiplies by 1 / b, which is 0 from 2^126 on (PTX ISA).
struct ApproximateQuotient {
  float operator()(float a, float b) const {
    const float size = __builtin_fabsf(b);
    const bool vanishes = size > 0x1p126f && size < __builtin_inff();
    const float by_zero = a * __builtin_copysignf(0.0f, b);
    const float quotient = a / b;
    return vanishes ? by_zero : quotient;
  }
};

// The sign of a - quotient * b says on which side of the nearest quotient the exact one lies: doubles hold it, for the
// product has 48 bits and the difference no more.
struct RoundedQuotient {
  float operator()(float a, float b, Rounding rounding) const {
    const float nearest = a / b;
    const double rest = double{a} - double{nearest} * double{b};
    return directed(nearest, bits_of(b) >> 31 != 0 ? -rest : rest, rounding);
  }
};
struct RoundedReciprocal {
  float operator()(float a, float, Rounding rounding) const { return RoundedQuotient{}(1.0f, a, rounding); }
};
struct RoundedRoot {
  float operator()(float a, float, Rounding rounding) const {
    const float nearest = __builtin_sqrtf(a);
    return directed(nearest, double{a} - double{nearest} * double{nearest}, rounding);
  }
};

template <class Operation, bool flush>
struct Nearest {
  template <class... T>
  float operator()(T... source) const {
    return output<flush, false>(Operation{}(input<flush>(source)...));
  }
};
template <class Operation>
struct NearestDouble {
  template <class... T>
  double operator()(T... source) const {
    return canonical(Operation{}(source...));
  }
};

// rcp and sqrt read their source as both.
template <class Operation>
void rounded(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0;
  const auto operation = [=](float a, float b) {
    return output(Operation{}(input(a, flush), input(b, flush), rounding), flush, false);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a),
            warp.read<float>(i.b == no_slot ? i.a : i.b));
}

Handler QuotientHandler(Type type, bool approximate, FloatForm form) {
  if (type == Type::f64) return binary<NearestDouble<FloatQuotient>, double>;
  if (form.rounding != Rounding::nearest_even) return rounded<RoundedQuotient>;
  if (approximate) {
    return form.flush ? binary<Nearest<ApproximateQuotient, true>, float>
                      : binary<Nearest<ApproximateQuotient, false>, float>;
  }
  return form.flush ? binary<Nearest<FloatQuotient, true>, float>
                    : binary<Nearest<FloatQuotient, false>, float>;
}

template <class Operation, class Rounded>
Handler one_source(Type type, FloatForm form) {
  if (type == Type::f64) return unary<NearestDouble<Operation>, double>;
  if (form.rounding != Rounding::nearest_even) return rounded<Rounded>;
  return form.flush ? unary<Nearest<Operation, true>, float> : unary<Nearest<Operation, false>, float>;
}
Handler GrossReciprocalHandler() {
  return unary<Gross<FloatReciprocal>, double>;
}
Handler OneSourceHandler(bool is_root, Type type, FloatForm form) {
  return is_root ? one_source<FloatRoot, RoundedRoot>(type, form)
                 : one_source<FloatReciprocal, RoundedReciprocal>(type, form);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(GrossReciprocalHandler);
HWY_EXPORT(QuotientHandler);
HWY_EXPORT(OneSourceHandler);

// rcp.approx, sqrt.approx and div.full are computed as the nearest number, which their error bounds (1 ulp, 1 ulp,
// 2 ulp) allow.
void decode_float_division(Decoder& decoder, Instruction& instruction) {
  const bool is_division = decoder.opcode() == "div";
  const bool approximate = decoder.take("approx");
  const bool full = !approximate && is_division && decoder.take("full");
  FloatForm form;
  if (!approximate && !full) form.rounding = take_rounding(decoder);
  form.flush = decoder.take("ftz");
  const Type type = decoder.take_type();
  if (type != Type::f32 && type != Type::f64) decoder.unsupported("a type that is neither .f32 nor .f64");
  const bool is_gross = decoder.opcode() == "rcp" && type == Type::f64 && approximate && form.flush;
  if (type == Type::f64 && !is_gross && (approximate || full || form.flush))
    decoder.unsupported("an approximate .f64");
  const bool on_fp64 = type == Type::f64 && !approximate;
  decoder.set_pipe(on_fp64 ? Pipe::fp64 : Pipe::mufu);
  set_form(instruction, form);
  if (is_gross) {
    instruction.execute = HWY_DYNAMIC_DISPATCH(GrossReciprocalHandler)();
  } else if (type == Type::f64 && form.rounding != Rounding::nearest_even) {
    instruction.execute = directed_double(decoder.opcode());
  } else if (is_division) {
    instruction.execute = HWY_DYNAMIC_DISPATCH(QuotientHandler)(type, approximate, form);
  } else {
    instruction.execute = HWY_DYNAMIC_DISPATCH(OneSourceHandler)(decoder.opcode() == "sqrt", type, form);
  }
  decode_operands(decoder, instruction, type, type);
  if (is_division) instruction.b = decoder.read(2, type);
}

}  // namespace tilescope::ptx
#endif
