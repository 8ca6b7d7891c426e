// Comparisons of the 32 lanes of two registers as a mask. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_COMPARE_MASKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_COMPARE_MASKS_INL
#undef TILESCOPE_PROFILER_SIMT_COMPARE_MASKS_INL
#else
#define TILESCOPE_PROFILER_SIMT_COMPARE_MASKS_INL
#endif

#include <hwy/highway.h>

#include <type_traits>

#include <cstdint>

#include "profiler/execution/simt/lanes/comparison.hpp"
#include "profiler/execution/simt/warp.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Comparisons of one value and of a vector of them; of floating-point numbers they are false for a NaN.
struct Equal {
  template <class T>
  bool of_values(T a, T b) const {
    return a == b;
  }
  template <class V>
  auto of_vectors(V a, V b) const {
    return hwy::HWY_NAMESPACE::Eq(a, b);
  }
};
struct Less {
  template <class T>
  bool of_values(T a, T b) const {
    return a < b;
  }
  template <class V>
  auto of_vectors(V a, V b) const {
    return hwy::HWY_NAMESPACE::Lt(a, b);
  }
};
struct LessOrEqual {
  template <class T>
  bool of_values(T a, T b) const {
    return a <= b;
  }
  template <class V>
  auto of_vectors(V a, V b) const {
    // Highway has no Le of integers; Le of floats cannot be turned round, for NaN.
    using Element = hwy::HWY_NAMESPACE::TFromV<V>;
    if constexpr (std::is_integral_v<Element>) {
      return hwy::HWY_NAMESPACE::Not(hwy::HWY_NAMESPACE::Lt(b, a));
    } else {
      return hwy::HWY_NAMESPACE::Le(a, b);
    }
  }
};
struct LessOrGreater {
  template <class T>
  bool of_values(T a, T b) const {
    return a < b || a > b;
  }
  template <class V>
  auto of_vectors(V a, V b) const {
    return hwy::HWY_NAMESPACE::Or(hwy::HWY_NAMESPACE::Lt(a, b), hwy::HWY_NAMESPACE::Lt(b, a));
  }
};
struct Numbers {
  template <class T>
  bool of_values(T a, T b) const {
    return a == a && b == b;
  }
  template <class V>
  auto of_vectors(V a, V b) const {
    return hwy::HWY_NAMESPACE::And(hwy::HWY_NAMESPACE::Eq(a, a), hwy::HWY_NAMESPACE::Eq(b, b));
  }
};

template <class Comparison, class T>
HWY_INLINE LaneMask compare_lanes(const T* a, const T* b) {
  LaneMask mask = 0;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  for (int lane = 0; lane < lane_count; ++lane) {
    mask |= static_cast<LaneMask>(Comparison{}.of_values(a[lane], b[lane]) ? 1u : 0u) << lane;
  }
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<T, lane_count> tag;
  const int lanes = static_cast<int>(hn::Lanes(tag));
  for (int lane = 0; lane < lane_count; lane += lanes) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(tag, Comparison{}.of_vectors(hn::LoadU(tag, a + lane), hn::LoadU(tag, b + lane)),
                      reinterpret_cast<std::uint8_t*>(&bits));
    mask |= static_cast<LaneMask>(bits) << lane;
  }
#endif
  return mask;
}

template <class T>
HWY_INLINE LaneMask compare_by(BaseComparison base, const T* a, const T* b) {
  switch (base) {
    case BaseComparison::equal:
      return compare_lanes<Equal>(a, b);
    case BaseComparison::less:
      return compare_lanes<Less>(a, b);
    case BaseComparison::less_or_equal:
      return compare_lanes<LessOrEqual>(a, b);
    case BaseComparison::less_or_greater:
      return compare_lanes<LessOrGreater>(a, b);
    default:
      return compare_lanes<Numbers>(a, b);
  }
}

HWY_INLINE LaneMask combined(LaneMask compared, LaneMask predicate, int flags) {
  if ((flags & negated_predicate_flag) != 0) predicate = ~predicate;
  switch (static_cast<Combination>(flags >> combination_shift)) {
    case Combination::with_and:
      return compared & predicate;
    case Combination::with_or:
      return compared | predicate;
    case Combination::with_xor:
      return compared ^ predicate;
    default:
      return compared;
  }
}

// One predicate or the pair p|q, q of the opposite: the second in the first further operand.
HWY_INLINE void set_predicates(Warp& warp, const Instruction& i, LaneMask compared) {
  if ((i.flags & inverted_flag) != 0) compared = ~compared;
  if (i.flags <= inverted_flag && i.operand_count == 0) {
    warp.set_mask(i.d, compared);
    return;
  }
  const LaneMask predicate = i.c == no_slot ? 0 : warp.mask(i.c);
  if (i.operand_count != 0) warp.set_mask(warp.operands(i)[0], combined(~compared, predicate, i.flags));
  warp.set_mask(i.d, combined(compared, predicate, i.flags));
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
