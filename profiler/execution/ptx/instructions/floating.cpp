#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/floating.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <class Operation>
Handler two_sources(Type type, FloatForm form) {
  if (type == Type::f64) return binary<Double<Operation>, double>;
  if (form.flush) {
    return form.saturate ? binary<Single<Operation, true, true>, float>
                         : binary<Single<Operation, true, false>, float>;
  }
  return form.saturate ? binary<Single<Operation, false, true>, float>
                       : binary<Single<Operation, false, false>, float>;
}

// Rounding to nearest; the other modes are in float_rounding.cpp.
Handler NearestHandler(std::string_view opcode, Type type, FloatForm form) {
  using Fma = FusedMultiplyAdd;
  if (opcode == "add") return two_sources<FloatSum>(type, form);
  if (opcode == "sub") return two_sources<FloatDifference>(type, form);
  if (opcode == "mul") return two_sources<FloatProduct>(type, form);
  if (type == Type::f64) return ternary<Double<Fma>, double>;
  if (form.flush) {
    return form.saturate ? ternary<Single<Fma, true, true>, float> : ternary<Single<Fma, true, false>, float>;
  }
  return form.saturate ? ternary<Single<Fma, false, true>, float> : ternary<Single<Fma, false, false>, float>;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(NearestHandler);

void decode_float_arithmetic(Decoder& decoder, Instruction& instruction) {
  if (is_half(last_type(decoder))) return decode_half(decoder, instruction);
  FloatForm form;
  form.rounding = take_rounding(decoder);
  form.flush = decoder.take("ftz");
  form.saturate = decoder.take("sat");
  const Type type = decoder.take_type();
  if (type != Type::f32 && type != Type::f64) {
    decoder.unsupported("floating-point arithmetic on ." + std::string(name_of(type)));
  }
  if (type == Type::f64 && (form.flush || form.saturate)) decoder.unsupported(".ftz or .sat of .f64");
  decoder.set_pipe(type == Type::f64 ? Pipe::fp64 : Pipe::fma);
  set_form(instruction, form);
  instruction.execute = form.rounding == Rounding::nearest_even
                            ? HWY_DYNAMIC_DISPATCH(NearestHandler)(decoder.opcode(), type, form)
                            : directed_arithmetic(decoder.opcode(), type);
  decode_operands(decoder, instruction, type, type, type);
  if (decoder.opcode() == "fma" || decoder.opcode() == "mad") instruction.c = decoder.read(3, type);
}

namespace {

constexpr Opcode opcodes[] = {
    {"fma", decode_float_arithmetic, Pipe::fma, DataUse::registers, arithmetic_floats},
    {"rcp", decode_float_division, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"sqrt", decode_float_division, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"rsqrt", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"sin", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"cos", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"lg2", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"ex2", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"tanh", decode_transcendental, Pipe::mufu, DataUse::registers, arithmetic_floats},
    {"copysign", decode_float_sign, Pipe::alu},
    {"testp", decode_float_test, Pipe::alu, DataUse::no_number},
};

}  // namespace

std::span<const Opcode> floating_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
