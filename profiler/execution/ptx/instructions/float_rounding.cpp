#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/float_rounding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

// Sums, products and fused products rounded toward zero, down or up.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <class Operation>
void rounded_binary(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const auto operation = [=](float a, float b) {
    return output(Operation{}(input(a, flush), input(b, flush), rounding), flush, saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b));
}

void rounded_fma(Warp& warp, const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.width);
  const bool flush = (i.flags & flush_flag) != 0, saturate = (i.flags & saturate_flag) != 0;
  const auto operation = [=](float a, float b, float c) {
    return output(RoundedFused{}(input(a, flush), input(b, flush), input(c, flush), rounding), flush,
                  saturate);
  };
  for_lanes(warp.exec, warp.write<float>(i.d), operation, warp.read<float>(i.a), warp.read<float>(i.b),
            warp.read<float>(i.c));
}

Handler RoundedSingle(std::string_view opcode) {
  if (opcode == "add") return rounded_binary<RoundedSum>;
  if (opcode == "sub") return rounded_binary<RoundedDifference>;
  if (opcode == "mul") return rounded_binary<RoundedProduct>;
  return rounded_fma;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(RoundedSingle);

Handler directed_arithmetic(std::string_view opcode, Type type) {
  return type == Type::f64 ? directed_double(opcode) : HWY_DYNAMIC_DISPATCH(RoundedSingle)(opcode);
}

}  // namespace tilescope::ptx
#endif
