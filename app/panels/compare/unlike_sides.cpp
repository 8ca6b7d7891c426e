#include "app/panels/compare/unlike_sides.hpp"

namespace tilescope {
namespace {

std::string mark_of(const Measurement& a, const Measurement& b) {
  const bool shapes = a.shape != b.shape, devices = a.device.name != b.device.name;
  if (shapes && devices) return "different shapes and devices";
  return shapes ? "different shapes" : devices ? "different devices" : "different work";
}

}  // namespace

void UnlikeSides::update(const ComparisonPair& pair, const Comparison& comparison) {
  reason_ = why_not_comparable(comparison.a, comparison.b);
  mark_ = reason_.empty() ? "" : mark_of(comparison.a, comparison.b);
  now_.reason = reason_;
  for (const Side side : both_sides) {
    const SideChoice& choice = pair.choice(side);
    const KernelDeclaration* kernel = pair.kernel(side);
    now_.sides[index_of(side)] = {choice.kind, kernel == nullptr ? "" : kernel->name, choice.point};
  }
}

}  // namespace tilescope
