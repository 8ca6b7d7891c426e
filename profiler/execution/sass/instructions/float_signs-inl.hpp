// Signs of floating-point sources, as float_forms.hpp describes them. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SASS_FLOAT_SIGNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SASS_FLOAT_SIGNS_INL
#undef TILESCOPE_PROFILER_SASS_FLOAT_SIGNS_INL
#else
#define TILESCOPE_PROFILER_SASS_FLOAT_SIGNS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/sass/instructions/float_forms.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

// The bits that a source keeps and those that it flips.
struct Sign {
  std::uint32_t keep, flip;

  float operator()(float value) const {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) & keep) ^ flip);
  }
  std::uint32_t operator()(std::uint32_t bits) const { return (bits & keep) ^ flip; }
};

HWY_INLINE Sign sign_of(const simt::Instruction& i, int source) {
  const int signs = i.count >> (sign_bits * source);
  return {(signs & absolute_sign) != 0 ? 0x7fffffffu : 0xffffffffu,
          (signs & negated_sign) != 0 ? 0x80000000u : 0u};
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
