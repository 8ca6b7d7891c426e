#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/float_minmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <bool maximum, bool keep_nan, bool flush>
Handler with_sign(bool xor_sign) {
  return xor_sign ? binary<MinMax<maximum, keep_nan, flush, true>, float>
                  : binary<MinMax<maximum, keep_nan, flush, false>, float>;
}
template <bool maximum>
Handler minmax_of(bool keep_nan, bool flush, bool xor_sign) {
  if (keep_nan)
    return flush ? with_sign<maximum, true, true>(xor_sign) : with_sign<maximum, true, false>(xor_sign);
  return flush ? with_sign<maximum, false, true>(xor_sign) : with_sign<maximum, false, false>(xor_sign);
}

Handler MinMaxHandler(bool maximum, Type type, bool keep_nan, bool flush, bool xor_sign) {
  if (type == Type::f64)
    return maximum ? binary<MinMaxDouble<true>, double> : binary<MinMaxDouble<false>, double>;
  return maximum ? minmax_of<true>(keep_nan, flush, xor_sign) : minmax_of<false>(keep_nan, flush, xor_sign);
}

struct FloatNegate {
  float operator()(float a) const { return -a; }
  double operator()(double a) const { return -a; }
};
struct FloatAbsolute {
  float operator()(float a) const { return __builtin_fabsf(a); }
  double operator()(double a) const { return __builtin_fabs(a); }
};
template <class Operation>
struct Flushed {
  float operator()(float a) const { return flushed(Operation{}(a)); }
};
// The sign of a with the magnitude of b.
struct CopySign {
  float operator()(float a, float b) const { return __builtin_copysignf(b, a); }
  double operator()(double a, double b) const { return __builtin_copysign(b, a); }
};

template <class Operation>
Handler sign_of(Type type, bool flush) {
  if (type == Type::f64) return unary<Operation, double>;
  return flush ? unary<Flushed<Operation>, float> : unary<Operation, float>;
}

Handler SignHandler(std::string_view opcode, Type type, bool flush) {
  if (opcode == "copysign") return type == Type::f64 ? binary<CopySign, double> : binary<CopySign, float>;
  return opcode == "neg" ? sign_of<FloatNegate>(type, flush) : sign_of<FloatAbsolute>(type, flush);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(MinMaxHandler);
HWY_EXPORT(SignHandler);

void decode_float_minmax(Decoder& decoder, Instruction& instruction) {
  if (is_half(last_type(decoder))) return decode_half(decoder, instruction);
  const bool flush = decoder.take("ftz");
  const bool keep_nan = decoder.take("NaN");
  const bool xor_sign = decoder.take("xorsign");
  if (xor_sign && !decoder.take("abs")) decoder.unsupported(".xorsign without .abs");
  const Type type = decoder.take_type();
  if (type != Type::f32 && type != Type::f64) decoder.unsupported("a type that is neither .f32 nor .f64");
  if (type == Type::f64 && (flush || keep_nan || xor_sign)) decoder.unsupported("a modifier of .f32 on .f64");
  if (type == Type::f64) decoder.set_pipe(Pipe::fp64);
  instruction.execute =
      HWY_DYNAMIC_DISPATCH(MinMaxHandler)(decoder.opcode() == "max", type, keep_nan, flush, xor_sign);
  decode_operands(decoder, instruction, type, type, type);
}

void decode_float_sign(Decoder& decoder, Instruction& instruction) {
  if (is_half(last_type(decoder))) return decode_half(decoder, instruction);
  const bool is_copy = decoder.opcode() == "copysign";
  const bool flush = !is_copy && decoder.take("ftz");
  const Type type = decoder.take_type();
  if (type != Type::f32 && type != Type::f64) decoder.unsupported("a type that is neither .f32 nor .f64");
  if (type == Type::f64 && flush) decoder.unsupported(".ftz of .f64");
  if (type == Type::f64) decoder.set_pipe(Pipe::fp64);
  instruction.execute = HWY_DYNAMIC_DISPATCH(SignHandler)(decoder.opcode(), type, flush);
  decode_operands(decoder, instruction, type, type);
  if (is_copy) instruction.b = decoder.read(2, type);
}

}  // namespace tilescope::ptx
#endif
