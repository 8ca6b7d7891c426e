#include <cstdint>

#include "profiler/execution/ptx/instructions/convert_form.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/simt/warp.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/convert_any.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/any_conversion-inl.hpp"

// Any conversion of one number, lane after lane.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

HWY_INLINE std::uint64_t read_lane(const Warp& warp, Slot slot, int bytes, int lane) {
  return bytes == 2   ? warp.read<std::uint16_t>(slot)[lane]
         : bytes == 4 ? warp.read<std::uint32_t>(slot)[lane]
                      : warp.read<std::uint64_t>(slot)[lane];
}
HWY_INLINE void write_lane(Warp& warp, Slot slot, int bytes, int lane, std::uint64_t value) {
  if (bytes == 2) {
    warp.write<std::uint16_t>(slot)[lane] = static_cast<std::uint16_t>(value);
  } else if (bytes == 4) {
    warp.write<std::uint32_t>(slot)[lane] = static_cast<std::uint32_t>(value);
  } else {
    warp.write<std::uint64_t>(slot)[lane] = value;
  }
}

void convert_any(Warp& warp, const Instruction& i) {
  const ConvertForm form = form_of(i);
  const Conversion conversion = conversion_of(form);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) == 0) continue;
    write_lane(warp, i.d, form.result_bytes, lane,
               converted(read_lane(warp, i.a, form.source_bytes, lane), conversion));
  }
}

void convert_any_pair(Warp& warp, const Instruction& i) {
  ConvertForm form = form_of(i);
  form.result = form.result == Type::f16x2 ? Type::f16 : Type::bf16;
  const Conversion conversion = conversion_of(form);
  const auto half = [&](Slot source, int lane) {
    return static_cast<std::uint32_t>(converted(read_lane(warp, source, 4, lane), conversion));
  };
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0)
      write_lane(warp, i.d, 4, lane, half(i.a, lane) << 16 | half(i.b, lane));
  }
}

Handler AnyConversion(bool of_pair) {
  return of_pair ? convert_any_pair : convert_any;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(AnyConversion);

Handler any_conversion() {
  return HWY_DYNAMIC_DISPATCH(AnyConversion)(false);
}
Handler any_pair_conversion() {
  return HWY_DYNAMIC_DISPATCH(AnyConversion)(true);
}

}  // namespace tilescope::ptx
#endif
