#include <bit>
#include <cmath>

#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/lanes/rounded_double.hpp"
#include "profiler/execution/simt/warp.hpp"

// f64 rounded toward zero, down or up. Rare, so computed lane after lane in 113 bits, which hold the product of two
// doubles exactly.
namespace tilescope::ptx {
namespace {

using simt::Quad, simt::sign_of, simt::moved, simt::rounded_sum;

template <class Operation>
void lane_after_lane(Warp& warp, const Instruction& i, Operation operation) {
  double* d = warp.write<double>(i.d);
  const auto rounding = static_cast<Rounding>(i.width);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) == 0) continue;
    const double value = operation(lane, rounding);
    d[lane] = value == value ? value : std::bit_cast<double>(0x7ff8000000000000u);
  }
}

void sum(Warp& warp, const Instruction& i) {
  const double *a = warp.read<double>(i.a), *b = warp.read<double>(i.b);
  lane_after_lane(warp, i,
                  [=](int lane, Rounding rounding) { return rounded_sum(a[lane], b[lane], rounding); });
}
void difference(Warp& warp, const Instruction& i) {
  const double *a = warp.read<double>(i.a), *b = warp.read<double>(i.b);
  lane_after_lane(warp, i,
                  [=](int lane, Rounding rounding) { return rounded_sum(a[lane], -b[lane], rounding); });
}
void product(Warp& warp, const Instruction& i) {
  const double *a = warp.read<double>(i.a), *b = warp.read<double>(i.b);
  lane_after_lane(warp, i, [=](int lane, Rounding rounding) {
    return simt::rounded_product(a[lane], b[lane], rounding);
  });
}
void fused(Warp& warp, const Instruction& i) {
  const double *a = warp.read<double>(i.a), *b = warp.read<double>(i.b), *c = warp.read<double>(i.c);
  lane_after_lane(warp, i, [=](int lane, Rounding rounding) {
    return rounded_sum(static_cast<Quad>(a[lane]) * b[lane], c[lane], rounding);
  });
}
double rounded_quotient(double a, double b, Rounding rounding) {
  const double nearest = a / b;
  const Quad rest = a - static_cast<Quad>(nearest) * b;
  return moved(nearest, std::signbit(b) ? -sign_of(rest) : sign_of(rest), rounding);
}
void quotient(Warp& warp, const Instruction& i) {
  const double *a = warp.read<double>(i.a), *b = warp.read<double>(i.b);
  lane_after_lane(warp, i,
                  [=](int lane, Rounding rounding) { return rounded_quotient(a[lane], b[lane], rounding); });
}
void reciprocal(Warp& warp, const Instruction& i) {
  const double* a = warp.read<double>(i.a);
  lane_after_lane(warp, i,
                  [=](int lane, Rounding rounding) { return rounded_quotient(1.0, a[lane], rounding); });
}
void root(Warp& warp, const Instruction& i) {
  const double* a = warp.read<double>(i.a);
  lane_after_lane(warp, i, [=](int lane, Rounding rounding) {
    const double nearest = std::sqrt(a[lane]);
    return moved(nearest, sign_of(a[lane] - static_cast<Quad>(nearest) * nearest), rounding);
  });
}

}  // namespace

Handler directed_double(std::string_view opcode) {
  if (opcode == "add") return sum;
  if (opcode == "sub") return difference;
  if (opcode == "mul") return product;
  if (opcode == "div") return quotient;
  if (opcode == "rcp") return reciprocal;
  if (opcode == "sqrt") return root;
  return fused;
}

}  // namespace tilescope::ptx
