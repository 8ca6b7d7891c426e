#include "kernels/reference/row_math.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reference/row_math.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilescope::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void AddScaled(T factor, const T* values, T* sums, std::size_t count) {
  const hn::ScalableTag<T> tag;
  const auto factors = hn::Set(tag, factor);
  std::size_t j = 0;
  for (; j + hn::Lanes(tag) <= count; j += hn::Lanes(tag)) {
    hn::StoreU(hn::MulAdd(factors, hn::LoadU(tag, values + j), hn::LoadU(tag, sums + j)), tag, sums + j);
  }
  for (; j < count; ++j) sums[j] += factor * values[j];
}

void AddScaledDouble(double factor, const double* values, double* sums, std::size_t count) {
  AddScaled(factor, values, sums, count);
}
void AddScaledFloat(float factor, const float* values, float* sums, std::size_t count) {
  AddScaled(factor, values, sums, count);
}

}  // namespace tilescope::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::reference {

HWY_EXPORT(AddScaledDouble);
HWY_EXPORT(AddScaledFloat);

void add_scaled(double factor, const double* values, double* sums, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddScaledDouble)(factor, values, sums, count);
}
void add_scaled(float factor, const float* values, float* sums, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddScaledFloat)(factor, values, sums, count);
}

}  // namespace tilescope::reference
#endif
