// Sources and results of packed halves, as half_forms.hpp describes them: 64 halves of a warp. Included once for each
// vector target.
#if defined(TILESCOPE_PROFILER_SASS_HALF_SOURCES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SASS_HALF_SOURCES_INL
#undef TILESCOPE_PROFILER_SASS_HALF_SOURCES_INL
#else
#define TILESCOPE_PROFILER_SASS_HALF_SOURCES_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "profiler/execution/sass/instructions/half_forms.hpp"
#include "profiler/execution/simt/lanes/half_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

inline constexpr int halves_of_warp = 2 * simt::lane_count;

// The halves that a source means, as pairs. `bits` are its own four.
HWY_INLINE void select_halves(const std::uint32_t* from, unsigned bits, std::uint32_t* pairs) {
  const auto part = static_cast<HalfPart>(bits >> sign_bits & 3u);
  const int low = part == HalfPart::high_twice ? 16 : 0, high = part == HalfPart::low_twice ? 0 : 16;
  const std::uint32_t keep = (bits & absolute_sign) != 0 ? 0x7fff7fffu : 0xffffffffu;
  const std::uint32_t flip = (bits & negated_sign) != 0 ? 0x80008000u : 0;
  for (int lane = 0; lane < simt::lane_count; ++lane) {
    const std::uint32_t pair = (from[lane] >> low & 0xffffu) | from[lane] >> high << 16;
    pairs[lane] = (pair & keep) ^ flip;
  }
}

// Source `index` as floats, the lower half of a lane first.
template <class Format>
HWY_INLINE void promote_source(const simt::Warp& warp, const simt::Instruction& i, simt::Slot slot, int index,
                               float* values) {
  const auto bits = static_cast<unsigned>(i.immediate >> (half_source_bits * index)) & 15u;
  const bool flush = (i.flags & simt::flush_flag) != 0;
  const std::uint32_t* from = warp.read<std::uint32_t>(slot);
  if (bits == 0 && !flush) {
    Format::template promote<halves_of_warp>(reinterpret_cast<const std::uint16_t*>(from), values);
    return;
  }
  alignas(64) std::uint32_t pairs[simt::lane_count];
  select_halves(from, bits, pairs);
  alignas(64) std::uint16_t halves[halves_of_warp];
  std::memcpy(halves, pairs, sizeof halves);
  if (flush) {
    for (int k = 0; k < halves_of_warp; ++k) halves[k] = simt::HWY_NAMESPACE::flushed_half<Format>(halves[k]);
  }
  Format::template promote<halves_of_warp>(halves, values);
}

// Rounds results, after .SAT and .RELU, and stores them in the lanes of exec.
template <class Format>
HWY_INLINE void demote_result(simt::Warp& warp, const simt::Instruction& i, float* values) {
  using namespace simt::HWY_NAMESPACE;
  if ((i.flags & simt::saturate_flag) != 0) {
    for (int k = 0; k < halves_of_warp; ++k) values[k] = saturated_single(values[k]);
  }
  if ((i.flags & simt::relu_flag) != 0) {
    for (int k = 0; k < halves_of_warp; ++k) values[k] = relu_of(values[k]);
  }
  alignas(64) std::uint16_t halves[halves_of_warp];
  Format::template demote<halves_of_warp>(values, halves);
  if ((i.flags & simt::flush_flag) != 0) {
    for (int k = 0; k < halves_of_warp; ++k) halves[k] = flushed_half<Format>(halves[k]);
  }
  alignas(64) std::uint32_t pairs[simt::lane_count];
  std::memcpy(pairs, halves, sizeof pairs);
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t pair) { return pair; },
      static_cast<const std::uint32_t*>(pairs));
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
