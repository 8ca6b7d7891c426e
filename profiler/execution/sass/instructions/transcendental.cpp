#include "profiler/execution/sass/instructions/float_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/transcendental.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/float_signs-inl.hpp"
#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/half_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/transcendental-inl.hpp"

// MUFU: the functions that PTX calls approximate, within the errors that it allows. They flush denormals, for ptxas
// makes .ftz forms of them alone and scales around them for the others; only .TANH, which PTX has without .ftz, does not.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::Handler, simt::Instruction, simt::lane_count, simt::Warp;

template <class Operation, bool flush>
void function(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0);
  for_lanes(
      warp.exec, warp.write<float>(i.d), [=](float a) { return Approximate<Operation, flush>{}(of_a(a)); },
      warp.read<float>(i.a));
}

// ptxas multiplies angles by 1 / (2 pi) before.
template <std::uint64_t quarter_turns>
struct SineOfTurns {
  float operator()(float turns) const { return sine_of_turns(double{turns}, quarter_turns); }
};

Handler FunctionHandler(std::string_view name) {
  if (name == "EX2") return function<Exponential2, true>;
  if (name == "LG2") return function<Logarithm2, true>;
  if (name == "RCP") return function<FloatReciprocal, true>;
  if (name == "RSQ") return function<ReciprocalRoot, true>;
  if (name == "SQRT") return function<FloatRoot, true>;
  if (name == "SIN") return function<SineOfTurns<0>, true>;
  if (name == "COS") return function<SineOfTurns<1>, true>;
  if (name == "TANH") return function<HyperbolicTangent, false>;
  return nullptr;
}

// From and to the high words of doubles.
template <class Operation>
void of_high_words(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0);
  const auto operation = [=](std::uint32_t high) {
    const double source = std::bit_cast<double>(std::uint64_t{of_a(high)} << 32);
    return static_cast<std::uint32_t>(bits_of(Gross<Operation>{}(source)) >> 32);
  };
  for_lanes(warp.exec, warp.write<std::uint32_t>(i.d), operation, warp.read<std::uint32_t>(i.a));
}
Handler HighWordHandler(bool is_root) {
  return is_root ? of_high_words<ReciprocalRoot> : of_high_words<FloatReciprocal>;
}

// Operates on the lower half or, with `width` 16, the upper one; the result is in the lower half, and the
// upper one is zero.
template <class Operation, class Format, bool flush>
void of_half(Warp& warp, const Instruction& i) {
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  const Sign sign = sign_of(i, 0);
  const int shift = i.width;
  const auto keep = static_cast<std::uint16_t>(sign.keep >> 16),
             flip = static_cast<std::uint16_t>(sign.flip >> 16);
  alignas(64) std::uint16_t half[lane_count];
  alignas(64) float value[lane_count];
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto bits =
        static_cast<std::uint16_t>((static_cast<std::uint16_t>(a[lane] >> shift) & keep) ^ flip);
    half[lane] = flush ? flushed_half<Format>(bits) : bits;
  }
  Format::template promote<lane_count>(half, value);
  for (int lane = 0; lane < lane_count; ++lane) value[lane] = Operation{}(value[lane]);
  Format::template demote<lane_count>(value, half);
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [](std::uint16_t bits) { return std::uint32_t{flush ? flushed_half<Format>(bits) : bits}; },
      static_cast<const std::uint16_t*>(half));
}
Handler HalfFunctionHandler(std::string_view name, bool is_bf16) {
  if (name == "EX2") return is_bf16 ? of_half<Exponential2, BF16, true> : of_half<Exponential2, F16, false>;
  if (name != "TANH") return nullptr;
  return is_bf16 ? of_half<HyperbolicTangent, BF16, false> : of_half<HyperbolicTangent, F16, false>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(FunctionHandler);
HWY_EXPORT(HighWordHandler);
HWY_EXPORT(HalfFunctionHandler);

simt::Handler handler_of(std::string_view name, bool is_half, bool is_bf16) {
  if (is_half) return HWY_DYNAMIC_DISPATCH(HalfFunctionHandler)(name, is_bf16);
  if (name == "RCP64H" || name == "RSQ64H") return HWY_DYNAMIC_DISPATCH(HighWordHandler)(name == "RSQ64H");
  return HWY_DYNAMIC_DISPATCH(FunctionHandler)(name);
}

}  // namespace

void decode_transcendental(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_bf16 = decoder.take("BF16");
  const bool is_half = decoder.take("F16") || is_bf16;
  const std::string name(decoder.take_next());
  instruction.execute = handler_of(name, is_half, is_bf16);
  if (instruction.execute == nullptr) decoder.unsupported("its function is not known");
  instruction.d = decoder.write(0);
  const Decoder::Source source = decoder.real(1);
  check_real(decoder, source, is_half);
  if (source.selector == "H1" || source.selector == "H1_H1") {
    instruction.width = 16;
  } else if (!source.selector.empty() && source.selector != "H0" && source.selector != "H0_H0") {
    decoder.unsupported("the part of its source is not known");
  }
  instruction.a = take_signs(instruction, source, 0);
}

}  // namespace tilescope::sass
#endif
