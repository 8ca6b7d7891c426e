#include "profiler/execution/simt/matrix/mma.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/simt/matrix/mma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/matrix/integer_tiles-inl.hpp"
#include "profiler/execution/simt/matrix/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

template <class Factor, int depth, class Accumulator>
void mma(Warp& warp, const Instruction& i) {
  constexpr int tiles = depth / Factor::columns;
  const Slot* d = warp.operands(i);
  const Slot* a = d + 2 * Accumulator::registers;
  const Slot* b = a + 2 * tiles;
  multiply_fragments<Factor, depth, Accumulator, Accumulator>(warp, d, a, b, b + tiles);
}

template <class A, class B, int depth, bool saturates>
void integer_mma(Warp& warp, const Instruction& i) {
  const Slot* d = warp.operands(i);
  const Slot* a = d + 4;
  const Slot* b = a + depth / 8;
  multiply_integers<A, B, depth, saturates>(warp, d, a, b, b + depth / 16);
}

template <class Half>
Handler of_halves(int depth, bool is_f32) {
  using Factor = HalfFactor<Half>;
  if (depth == 8) return is_f32 ? mma<Factor, 8, F32Accumulator> : mma<Factor, 8, F16Accumulator>;
  return is_f32 ? mma<Factor, 16, F32Accumulator> : mma<Factor, 16, F16Accumulator>;
}

Handler MmaHandler(MmaFactor factor, int depth, bool is_f32) {
  if (factor == MmaFactor::f16) return of_halves<F16>(depth, is_f32);
  if (factor == MmaFactor::bf16) return of_halves<BF16>(depth, is_f32);
  return depth == 4 ? mma<Tf32Factor, 4, F32Accumulator> : mma<Tf32Factor, 8, F32Accumulator>;
}

template <class A, class B>
Handler of_bytes(int depth, bool saturates) {
  if (depth == 16) return saturates ? integer_mma<A, B, 16, true> : integer_mma<A, B, 16, false>;
  return saturates ? integer_mma<A, B, 32, true> : integer_mma<A, B, 32, false>;
}

Handler IntegerMmaHandler(bool a_signed, bool b_signed, int depth, bool saturates) {
  if (a_signed) {
    return b_signed ? of_bytes<std::int8_t, std::int8_t>(depth, saturates)
                    : of_bytes<std::int8_t, std::uint8_t>(depth, saturates);
  }
  return b_signed ? of_bytes<std::uint8_t, std::int8_t>(depth, saturates)
                  : of_bytes<std::uint8_t, std::uint8_t>(depth, saturates);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::simt {

HWY_EXPORT(MmaHandler);
HWY_EXPORT(IntegerMmaHandler);

Handler mma_handler(MmaFactor factor, int depth, bool is_f32) {
  return HWY_DYNAMIC_DISPATCH(MmaHandler)(factor, depth, is_f32);
}

Handler integer_mma_handler(bool a_signed, bool b_signed, int depth, bool saturates) {
  return HWY_DYNAMIC_DISPATCH(IntegerMmaHandler)(a_signed, b_signed, depth, saturates);
}

}  // namespace tilescope::simt
#endif
