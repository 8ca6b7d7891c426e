#include <cmath>
#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/transcendental.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/transcendental-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

struct ApproximateDouble {
  double operator()(double source) const { return canonical(ReciprocalRoot{}(source)); }
};

template <class Operation>
Handler approximate(bool flush) {
  return flush ? unary<Approximate<Operation, true>, float> : unary<Approximate<Operation, false>, float>;
}

Handler TranscendentalHandler(std::string_view opcode, Type type, bool flush) {
  if (type == Type::f64) return unary<ApproximateDouble, double>;
  if (opcode == "rsqrt") return approximate<ReciprocalRoot>(flush);
  if (opcode == "ex2") return approximate<Exponential2>(flush);
  if (opcode == "lg2") return approximate<Logarithm2>(flush);
  if (opcode == "sin") return approximate<Sine>(flush);
  if (opcode == "cos") return approximate<Cosine>(flush);
  return approximate<HyperbolicTangent>(flush);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(TranscendentalHandler);

void decode_transcendental(Decoder& decoder, Instruction& instruction) {
  if (is_half(last_type(decoder))) return decode_half(decoder, instruction);
  if (!decoder.take("approx")) decoder.unsupported("only the .approx form is executed");
  const bool flush = decoder.take("ftz");
  const Type type = decoder.take_type();
  const bool is_root_of_double = decoder.opcode() == "rsqrt" && type == Type::f64 && !flush;
  if (type != Type::f32 && !is_root_of_double) decoder.unsupported("a type that is not .f32");
  instruction.execute = HWY_DYNAMIC_DISPATCH(TranscendentalHandler)(decoder.opcode(), type, flush);
  decode_operands(decoder, instruction, type, type);
}

}  // namespace tilescope::ptx
#endif
