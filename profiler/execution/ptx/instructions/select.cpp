#include <string>
#include <type_traits>

#include "profiler/execution/ptx/instructions/comparison.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/lanes/independent_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <class T>
void select_by(Warp& warp, const Instruction& i, LaneMask first) {
  T* d = warp.write<T>(i.d);
  const T* a = warp.read<T>(i.a);
  const T* b = warp.read<T>(i.b);
  const LaneMask exec = warp.exec;
  if (exec == all_lanes) {
    TILESCOPE_INDEPENDENT_LANES
    for (int lane = 0; lane < lane_count; ++lane) d[lane] = (first >> lane & 1u) != 0 ? a[lane] : b[lane];
    return;
  }
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const T value = (first >> lane & 1u) != 0 ? a[lane] : b[lane];
    d[lane] = (exec >> lane & 1u) != 0 ? value : d[lane];
  }
}

template <class T>
void select_by_predicate(Warp& warp, const Instruction& i) {
  const LaneMask predicate = warp.mask(i.c);
  select_by<T>(warp, i, (i.flags & negated_predicate_flag) != 0 ? ~predicate : predicate);
}

template <class T, class Sign>
void select_by_sign(Warp& warp, const Instruction& i) {
  // A denormal's sign counts but for .ftz, where -0 >= 0 holds.
  [[maybe_unused]] const bool flush = i.flags != 0;
  select_by<T>(warp, i,
               mask_of_lanes(
                   [=](Sign value) {
                     if constexpr (sizeof(Sign) == sizeof(float) && !std::is_integral_v<Sign>) {
                       return input(value, flush) >= 0.0f;
                     } else {
                       return value >= 0;
                     }
                   },
                   warp.read<Sign>(i.c)));
}

Handler SelectHandler(int bytes) {
  return bytes == 2   ? select_by_predicate<std::uint16_t>
         : bytes == 4 ? select_by_predicate<std::uint32_t>
                      : select_by_predicate<std::uint64_t>;
}
template <class Sign>
Handler by_sign(int bytes) {
  return bytes == 2   ? select_by_sign<std::uint16_t, Sign>
         : bytes == 4 ? select_by_sign<std::uint32_t, Sign>
                      : select_by_sign<std::uint64_t, Sign>;
}
Handler SelectBySignHandler(int bytes, bool by_float) {
  return by_float ? by_sign<float>(bytes) : by_sign<std::int32_t>(bytes);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(SelectHandler);
HWY_EXPORT(SelectBySignHandler);

void decode_select(Decoder& decoder, Instruction& instruction) {
  const Type type = decoder.take_type();
  if (size_of(type) < 2 || size_of(type) > 8)
    decoder.unsupported("a type of another size than 16, 32 or 64 bits");
  instruction.execute = HWY_DYNAMIC_DISPATCH(SelectHandler)(size_of(type));
  decode_operands(decoder, instruction, type, type, type);
  const Decoder::Predicate predicate = decoder.read_predicate(3);
  instruction.c = predicate.slot;
  if (predicate.negated) instruction.flags = negated_predicate_flag;
}

void decode_select_by_sign(Decoder& decoder, Instruction& instruction) {
  const bool flush = decoder.take("ftz");
  const Type type = decoder.take_type();
  const Type sign = decoder.take_type();
  if (size_of(type) < 2 || size_of(type) > 8)
    decoder.unsupported("a type of another size than 16, 32 or 64 bits");
  if (sign != Type::s32 && sign != Type::f32) decoder.unsupported("a sign of neither .s32 nor .f32");
  if (flush && sign != Type::f32) decoder.unsupported(".ftz without .f32");
  instruction.flags = flush ? 1 : 0;
  instruction.execute = HWY_DYNAMIC_DISPATCH(SelectBySignHandler)(size_of(type), sign == Type::f32);
  decode_operands(decoder, instruction, type, type, type);
  instruction.c = decoder.read(3, sign);
}

}  // namespace tilescope::ptx
#endif
