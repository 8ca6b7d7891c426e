#include <string>

#include "profiler/execution/ptx/instructions/comparison.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/slow_compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// The lanes of a register in a type that holds all values of the register's.
template <class T, class Stored>
LaneMask compare_as(const Warp& warp, const Instruction& i, Slot first, Slot second) {
  alignas(64) T a[lane_count], b[lane_count];
  const auto convert = [](Stored value) { return static_cast<T>(value); };
  for_lanes(all_lanes, a, convert, warp.read<Stored>(first));
  for_lanes(all_lanes, b, convert, warp.read<Stored>(second));
  return compare_by(static_cast<BaseComparison>(i.count), a, b);
}

LaneMask compare_single(const Warp& warp, const Instruction& i) {
  const bool flush = i.width != 0;
  alignas(64) float a[lane_count], b[lane_count];
  for_lanes(
      all_lanes, a, [=](float value) { return input(value, flush); }, warp.read<float>(i.a));
  for_lanes(
      all_lanes, b, [=](float value) { return input(value, flush); }, warp.read<float>(i.b));
  return compare_by(static_cast<BaseComparison>(i.count), a, b);
}

// Compares halves: lane after lane, or the lower and the upper ones of packed registers.
struct HalfMasks {
  LaneMask low, high;
};
template <class Format, int per_lane>
HalfMasks compare_halves(const Warp& warp, const Instruction& i) {
  constexpr int count = per_lane * lane_count;
  alignas(64) float values[2][count];
  Format::template promote<count>(warp.read<std::uint16_t>(i.a), values[0]);
  Format::template promote<count>(warp.read<std::uint16_t>(i.b), values[1]);
  const float smallest = single(Format::smallest_normal);
  HalfMasks masks{};
  for (int part = 0; part < per_lane; ++part) {
    alignas(64) float lanes[2][lane_count];
    for (int source = 0; source < 2; ++source) {
      for (int lane = 0; lane < lane_count; ++lane) {
        const float value = values[source][per_lane * lane + part];
        const bool is_zero = i.width != 0 && __builtin_fabsf(value) < smallest;
        lanes[source][lane] = is_zero ? 0.0f : value;
      }
    }
    (part == 0 ? masks.low : masks.high) =
        compare_by(static_cast<BaseComparison>(i.count), lanes[0], lanes[1]);
  }
  return masks;
}

HalfMasks compare_any(const Warp& warp, const Instruction& i) {
  switch (static_cast<Type>(i.type)) {
    case Type::f16:
      return compare_halves<F16, 1>(warp, i);
    case Type::bf16:
      return compare_halves<BF16, 1>(warp, i);
    case Type::f16x2:
      return compare_halves<F16, 2>(warp, i);
    case Type::bf16x2:
      return compare_halves<BF16, 2>(warp, i);
    case Type::f32:
      return {compare_single(warp, i), 0};
    case Type::f64:
      return {
          compare_by(static_cast<BaseComparison>(i.count), warp.read<double>(i.a), warp.read<double>(i.b)),
          0};
    case Type::s16:
      return {compare_as<std::int64_t, std::int16_t>(warp, i, i.a, i.b), 0};
    case Type::s32:
      return {compare_as<std::int64_t, std::int32_t>(warp, i, i.a, i.b), 0};
    case Type::s64:
      return {compare_as<std::int64_t, std::int64_t>(warp, i, i.a, i.b), 0};
    case Type::u16:
    case Type::b16:
      return {compare_as<std::uint64_t, std::uint16_t>(warp, i, i.a, i.b), 0};
    case Type::u32:
    case Type::b32:
      return {compare_as<std::uint64_t, std::uint32_t>(warp, i, i.a, i.b), 0};
    default:
      return {compare_as<std::uint64_t, std::uint64_t>(warp, i, i.a, i.b), 0};
  }
}

// setp: the pair p|q is a comparison and its opposite, of packed halves the lower and the upper comparison.
void setp_by_type(Warp& warp, const Instruction& i) {
  const HalfMasks masks = compare_any(warp, i);
  const auto type = static_cast<Type>(i.type);
  if (type != Type::f16x2 && type != Type::bf16x2) {
    set_predicates(warp, i, masks.low);
    return;
  }
  const LaneMask inverted = (i.flags & inverted_flag) != 0 ? all_lanes : 0;
  const LaneMask predicate = i.c == no_slot ? 0 : warp.mask(i.c);
  warp.set_mask(warp.operands(i)[0], combined(masks.high ^ inverted, predicate, i.flags));
  warp.set_mask(i.d, combined(masks.low ^ inverted, predicate, i.flags));
}

template <class T>
void write_truth(Warp& warp, const Instruction& i, LaneMask low, LaneMask high) {
  T* d = warp.write<T>(i.d);
  const T of_low = static_cast<T>(i.immediate), of_high = static_cast<T>(i.immediate >> 32);
  for (int lane = 0; lane < lane_count; ++lane) {
    const T value =
        static_cast<T>(((low >> lane & 1u) != 0 ? of_low : 0) | ((high >> lane & 1u) != 0 ? of_high : 0));
    if ((warp.exec >> lane & 1u) != 0) d[lane] = value;
  }
}

// set: `immediate` holds what is true, of the upper comparison in its upper half.
template <class T>
void set_by_type(Warp& warp, const Instruction& i) {
  const HalfMasks masks = compare_any(warp, i);
  const LaneMask inverted = (i.flags & inverted_flag) != 0 ? all_lanes : 0;
  const LaneMask predicate = i.c == no_slot ? 0 : warp.mask(i.c);
  write_truth<T>(warp, i, combined(masks.low ^ inverted, predicate, i.flags),
                 combined(masks.high ^ inverted, predicate, i.flags));
}

Handler SlowSetp() {
  return setp_by_type;
}
Handler SlowSet(int bytes) {
  return bytes == 2 ? set_by_type<std::uint16_t> : set_by_type<std::uint32_t>;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(SlowSetp);
HWY_EXPORT(SlowSet);

Handler slow_setp() {
  return HWY_DYNAMIC_DISPATCH(SlowSetp)();
}

void decode_set_result(Decoder& decoder, Instruction& instruction, Type result, Type source) {
  const bool packed = source == Type::f16x2 || source == Type::bf16x2;
  std::int64_t truth = 0;
  if (result == Type::u32 || result == Type::s32) {
    truth = packed ? 0xffff : 0xffffffff;
  } else if (result == Type::f32 && !packed) {
    truth = 0x3f800000;
  } else if ((result == Type::u16 || result == Type::s16) && is_half(source) && !packed) {
    truth = 0xffff;
  } else if (result == source && is_half(source)) {
    truth = source == Type::f16 || source == Type::f16x2 ? 0x3c00 : 0x3f80;
  } else {
    decoder.unsupported("a result of ." + std::string(name_of(result)) + " from ." +
                        std::string(name_of(source)));
  }
  instruction.immediate = packed ? truth | truth << 48 : truth;
  instruction.execute = HWY_DYNAMIC_DISPATCH(SlowSet)(size_of(result));
  instruction.d = decoder.write(0, result);
}

}  // namespace tilescope::ptx
#endif
