#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/float_facts.hpp"
#include "profiler/execution/sass/instructions/float_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/floating.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/float_signs-inl.hpp"
#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

// FADD, FMUL and FFMA. Without signs and modifiers they have loops of their own.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::flush_flag, simt::Handler, simt::Instruction, simt::Rounding, simt::saturate_flag, simt::Warp;

// FMUL.D2: half of the product, rounded once. An H200 gave this for 8,192 numbers times 0.5, half of them denormal.
struct HalvedProduct {
  float operator()(float a, float b) const { return static_cast<float>(double{a} * double{b} * 0.5); }
};

template <class Operation, bool flush, bool saturate>
void with_signs(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  for_lanes(
      warp.exec, warp.write<float>(i.d),
      [=](float a, float b) { return Single<Operation, flush, saturate>{}(of_a(a), of_b(b)); },
      warp.read<float>(i.a), warp.read<float>(i.b));
}
template <bool flush, bool saturate>
void fused_with_signs(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1), of_c = sign_of(i, 2);
  for_lanes(
      warp.exec, warp.write<float>(i.d),
      [=](float a, float b, float c) {
        return Single<FusedMultiplyAdd, flush, saturate>{}(of_a(a), of_b(b), of_c(c));
      },
      warp.read<float>(i.a), warp.read<float>(i.b), warp.read<float>(i.c));
}

// Rounded toward zero, down or up, with any signs and modifiers.
template <class Operation>
void rounded(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  const auto operation = [=](float a, float b) {
    return output(Operation{}(input(of_a(a), flush), input(of_b(b), flush), rounding), flush, saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b));
}
void rounded_fused(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1), of_c = sign_of(i, 2);
  const auto operation = [=](float a, float b, float c) {
    const float value =
        RoundedFused{}(input(of_a(a), flush), input(of_b(b), flush), input(of_c(c), flush), rounding);
    return output(value, flush, saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b),
            warp.read<float>(i.c));
}

template <class Operation>
Handler two_sources(const Instruction& i) {
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  if (flush) return saturate ? with_signs<Operation, true, true> : with_signs<Operation, true, false>;
  if (saturate) return with_signs<Operation, false, true>;
  return i.count != 0 ? with_signs<Operation, false, false> : binary<Single<Operation, false, false>, float>;
}
Handler three_sources(const Instruction& i) {
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  if (flush) return saturate ? fused_with_signs<true, true> : fused_with_signs<true, false>;
  if (saturate) return fused_with_signs<false, true>;
  return i.count != 0 ? fused_with_signs<false, false>
                      : ternary<Single<FusedMultiplyAdd, false, false>, float>;
}

Handler HalvedProductHandler(const Instruction& i) {
  return two_sources<HalvedProduct>(i);
}
// For the modifiers and signs that the instruction has.
Handler ArithmeticHandler(std::string_view opcode, const Instruction& i) {
  const bool to_nearest = static_cast<Rounding>(i.width) == Rounding::nearest_even;
  if (opcode == "FADD") return to_nearest ? two_sources<FloatSum>(i) : rounded<RoundedSum>;
  if (opcode == "FMUL") return to_nearest ? two_sources<FloatProduct>(i) : rounded<RoundedProduct>;
  return to_nearest ? three_sources(i) : rounded_fused;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(ArithmeticHandler);
HWY_EXPORT(HalvedProductHandler);

void decode_arithmetic(Decoder& decoder, simt::Instruction& instruction) {
  simt::FloatForm form;
  form.flush = decoder.take("FTZ");
  form.saturate = decoder.take("SAT");
  form.rounding = take_rounding(decoder);
  const bool is_halved = decoder.opcode() == "FMUL" && decoder.take("D2");
  if (is_halved && form.rounding != simt::Rounding::nearest_even)
    decoder.unsupported("half of a product that is not rounded to the nearest");
  keep_form(instruction, form);
  instruction.d = decoder.write(0);
  instruction.a = read_real(decoder, instruction, 1, 0);
  instruction.b = read_real(decoder, instruction, 2, 1);
  if (is_halved) {
    instruction.execute = HWY_DYNAMIC_DISPATCH(HalvedProductHandler)(instruction);
    return;
  }
  if (decoder.opcode() == "FFMA") instruction.c = read_real(decoder, instruction, 3, 2);
  instruction.execute = HWY_DYNAMIC_DISPATCH(ArithmeticHandler)(decoder.opcode(), instruction);
}

constexpr Opcode opcodes[] = {
    Opcode{"FADD", decode_arithmetic, simt::Pipe::fma, HardwarePipe::fma}.computes(single_floats),
    Opcode{"FMUL", decode_arithmetic, simt::Pipe::fma, HardwarePipe::fma}.computes(single_floats),
    Opcode{"FFMA", decode_arithmetic, simt::Pipe::fma, HardwarePipe::fma}.computes(single_floats),
    Opcode{"FMNMX", decode_float_minmax, simt::Pipe::alu, HardwarePipe::alu}.computes(single_choice_floats),
    {"FSEL", decode_float_select, simt::Pipe::alu, HardwarePipe::alu},
    Opcode{"FSETP", decode_float_compare, simt::Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    {"FSET", decode_float_set, simt::Pipe::alu, HardwarePipe::alu},
    Opcode{"FCHK", decode_division_check, simt::Pipe::mufu, HardwarePipe::xu}.uses(simt::DataUse::no_number),
    Opcode{"MUFU", decode_transcendental, simt::Pipe::mufu, HardwarePipe::xu, Effect::delayed_result, nullptr,
           17}
        .computes(transcendental_floats),
};

}  // namespace

std::span<const Opcode> float_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
