#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/float_facts.hpp"
#include "profiler/execution/sass/instructions/half_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/half.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/half_sources-inl.hpp"

// HADD2, HMUL2 and HFMA2 on pairs of f16 or bf16. HFMA2.MMA is the same on another pipe.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::Handler, simt::Instruction, simt::lane_count, simt::Warp;

template <class Operation, class Format>
void two_halves(Warp& warp, const Instruction& i) {
  alignas(64) float a[halves_of_warp], b[halves_of_warp];
  promote_source<Format>(warp, i, i.a, 0, a);
  promote_source<Format>(warp, i, i.b, 1, b);
  for (int k = 0; k < halves_of_warp; ++k) a[k] = Operation{}(a[k], b[k]);
  demote_result<Format>(warp, i, a);
}
template <class Operation, class Format>
void three_halves(Warp& warp, const Instruction& i) {
  alignas(64) float a[halves_of_warp], b[halves_of_warp], c[halves_of_warp];
  promote_source<Format>(warp, i, i.a, 0, a);
  promote_source<Format>(warp, i, i.b, 1, b);
  promote_source<Format>(warp, i, i.c, 2, c);
  for (int k = 0; k < halves_of_warp; ++k) a[k] = Operation{}(a[k], b[k], c[k]);
  demote_result<Format>(warp, i, a);
}

Handler HalfHandler(std::string_view opcode, bool is_bf16) {
  if (opcode == "HADD2") return is_bf16 ? two_halves<HalfSum, BF16> : two_halves<HalfSum, F16>;
  if (opcode == "HMUL2") return is_bf16 ? two_halves<HalfProduct, BF16> : two_halves<HalfProduct, F16>;
  return is_bf16 ? three_halves<FusedBF16, BF16> : three_halves<FusedF16, F16>;
}

// -RZ * RZ + an immediate: how compilers load a constant on this pipe.
void load_constant(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t value) { return value; },
      warp.read<std::uint32_t>(i.c));
}
Handler ConstantHandler() {
  return load_constant;
}

// HADD2.F32 R, -RZ, R.H0_H0: one half as a float. `width` shifts it down, `immediate` holds its signs.
void half_to_single(Warp& warp, const Instruction& i) {
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  const int shift = i.width;
  alignas(64) std::uint16_t halves[lane_count];
  for (int lane = 0; lane < lane_count; ++lane) halves[lane] = static_cast<std::uint16_t>(a[lane] >> shift);
  alignas(64) float values[lane_count];
  F16::promote<lane_count>(halves, values);
  const std::uint32_t keep = (i.immediate & absolute_sign) != 0 ? 0x7fffffffu : 0xffffffffu;
  const std::uint32_t flip = (i.immediate & negated_sign) != 0 ? 0x80000000u : 0;
  for_lanes(
      warp.exec, warp.write<float>(i.d),
      [=](float value) { return canonical(single((bits_of(value) & keep) ^ flip)); },
      static_cast<const float*>(values));
}
Handler HalfToSingleHandler() {
  return half_to_single;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(HalfHandler);
HWY_EXPORT(ConstantHandler);
HWY_EXPORT(HalfToSingleHandler);

bool is_zero(const Operand& operand) {
  return operand.kind == Operand::Kind::reg && operand.index == zero_register;
}
bool is_nan(std::uint32_t half, bool is_bf16) {
  return (half & 0x7fffu) > (is_bf16 ? 0x7f80u : 0x7c00u);
}

void decode_to_single(Decoder& decoder, simt::Instruction& instruction) {
  const Operand& first = decoder.take_operand(1);
  if (!is_zero(first) || !first.is_negated) decoder.unsupported("a sum in .F32 that adds something");
  const Decoder::Source source = decoder.source(2);
  check_real(decoder, source, true);
  if (source.selector == "H1_H1") {
    instruction.width = 16;
  } else if (source.selector != "H0_H0") {
    decoder.unsupported("a sum in .F32 of both halves");
  }
  instruction.immediate = (source.is_absolute ? absolute_sign : 0) | (source.is_negated ? negated_sign : 0);
  instruction.d = decoder.write(0);
  instruction.a = source.slot;
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfToSingleHandler)();
}

// -RZ * RZ + immediates is exactly the immediates, for a NaN has another way to be written.
bool loads_constant(const Decoder& decoder, const simt::Instruction& instruction, bool is_bf16) {
  if (decoder.opcode() != "HFMA2" || decoder.operand_count() != 5 || instruction.flags != 0) return false;
  const Operand &a = decoder.operand(1), &b = decoder.operand(2);
  if (!is_zero(a) || !is_zero(b) || a.is_negated == b.is_negated) return false;
  const std::uint32_t bits = decoder.immediate_bits();
  return !is_nan(bits & 0xffffu, is_bf16) && !is_nan(bits >> 16, is_bf16);
}

void decode_half(Decoder& decoder, simt::Instruction& instruction) {
  if (decoder.opcode() == "HADD2" && decoder.take("F32")) return decode_to_single(decoder, instruction);
  const bool is_bf16 = decoder.take("BF16_V2");
  const bool is_fused = decoder.opcode() == "HFMA2";
  if (is_fused) decoder.take("MMA");
  simt::FloatForm form;
  form.flush = decoder.take("FTZ");
  form.saturate = decoder.take("SAT");
  form.relu = is_fused && decoder.take("RELU");
  keep_form(instruction, form);
  instruction.d = decoder.write(0);
  std::size_t next = 1;
  next += read_halves(decoder, instruction, instruction.a, next, 0);
  next += read_halves(decoder, instruction, instruction.b, next, 1);
  if (is_fused) read_halves(decoder, instruction, instruction.c, next, 2);
  instruction.execute = loads_constant(decoder, instruction, is_bf16)
                            ? HWY_DYNAMIC_DISPATCH(ConstantHandler)()
                            : HWY_DYNAMIC_DISPATCH(HalfHandler)(decoder.opcode(), is_bf16);
}

void read_half(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.is_mma = parts.has("MMA");
  facts.widens = parts.has("F32");
}
HardwarePipes half_pipes(const simt::MachineFacts& facts, int architecture) {
  if (facts.is_mma && architecture >= 90) return set_of({HardwarePipe::tensor});
  if (architecture == 80) return set_of({HardwarePipe::fp16});
  // Packed halves take both halves of the pipe; to convert one to 32 bits takes the heavy one.
  if (facts.widens) return set_of({HardwarePipe::fma, HardwarePipe::fma_heavy});
  return set_of({HardwarePipe::fma});
}

constexpr Opcode opcodes[] = {
    Opcode{"HADD2", decode_half, simt::Pipe::fma, half_pipes, Effect::delayed_result, read_half}.computes(
        half_floats),
    Opcode{"HMUL2", decode_half, simt::Pipe::fma, half_pipes, Effect::delayed_result, read_half}.computes(
        half_floats),
    Opcode{"HFMA2", decode_half, simt::Pipe::fma, half_pipes, Effect::delayed_result, read_half}.computes(
        half_floats),
    Opcode{"HMNMX2", decode_half_minmax, simt::Pipe::alu, HardwarePipe::alu}.computes(half_floats),
    {"HSET2", decode_half_set, simt::Pipe::alu, HardwarePipe::alu},
    Opcode{"HSETP2", decode_half_compare, simt::Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    {"VHMNMX", decode_half_minmax, simt::Pipe::alu, HardwarePipe::alu},
};

}  // namespace

std::span<const Opcode> half_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
