#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#ifndef TILESCOPE_PROFILER_PTX_CARRY_FLAGS
#define TILESCOPE_PROFILER_PTX_CARRY_FLAGS
namespace tilescope::ptx {
// Instruction::flags: whether the flag comes in, and whether it is set.
inline constexpr std::uint8_t reads_carry_flag = 1, writes_carry_flag = 2;
}  // namespace tilescope::ptx
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/integer_carry.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/integer_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// The flag is the carry out of an adder, for subtractions too: a - b is a + ~b + 1, and with the flag of the
// instruction before, a + ~b + flag. After sub.cc it is therefore 1 when nothing was borrowed, and addc after sub.cc
// adds that 1. ptxas compiles every chain this way (IADD3.X and IMAD.X with ~b, one predicate for both directions, seen
// for sm_89, sm_90 and sm_100). The text of the ISA, "CC.CF = borrow", gives other results where additions and
// subtractions are mixed.
struct FirstSource {
  template <class T>
  T operator()(T a, T) const {
    return a;
  }
};

// T is the type of the product, whose sign matters for .hi; the sum is of its bits.
template <class T, class Term, bool subtract, bool has_third>
void with_carry(Warp& warp, const Instruction& i) {
  using U = std::make_unsigned_t<T>;
  const T* a = warp.read<T>(i.a);
  const T* b = warp.read<T>(i.b);
  const U* addend = warp.read<U>(has_third ? i.c : i.b);
  const LaneMask carry_in = (i.flags & reads_carry_flag) != 0 ? warp.carry : subtract ? all_lanes : 0;
  alignas(64) U result[lane_count];
  LaneMask carry_out = 0;
  for (int lane = 0; lane < lane_count; ++lane) {
    const U term = static_cast<U>(Term{}(a[lane], b[lane]));
    const U in = carry_in >> lane & 1u;
    const U partial = static_cast<U>(term + (subtract ? ~addend[lane] : addend[lane]));
    result[lane] = static_cast<U>(partial + in);
    const bool out = partial < term || result[lane] < in;
    carry_out |= static_cast<LaneMask>(out ? 1u : 0u) << lane;
  }
  if ((i.flags & writes_carry_flag) != 0) warp.carry = (warp.carry & ~warp.exec) | (carry_out & warp.exec);
  for_lanes(
      warp.exec, warp.write<U>(i.d), [](U value) { return value; }, static_cast<const U*>(result));
}

template <class T>
Handler carry_of(std::string_view opcode, bool high) {
  if (opcode.starts_with("add")) return with_carry<T, FirstSource, false, false>;
  if (opcode.starts_with("sub")) return with_carry<T, FirstSource, true, false>;
  return high ? with_carry<T, MultiplyHigh, false, true>
              : with_carry<std::make_unsigned_t<T>, MultiplyLow, false, true>;
}

Handler CarryHandler(std::string_view opcode, bool high, Type type) {
  switch (type) {
    case Type::u32:
      return carry_of<std::uint32_t>(opcode, high);
    case Type::s32:
      return carry_of<std::int32_t>(opcode, high);
    case Type::u64:
      return carry_of<std::uint64_t>(opcode, high);
    default:
      return carry_of<std::int64_t>(opcode, high);
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(CarryHandler);

void decode_carry(Decoder& decoder, Instruction& instruction) {
  const bool is_multiply = decoder.opcode().starts_with("mad");
  const bool reads_carry = decoder.opcode().ends_with("c");
  bool high = false;
  if (is_multiply) {
    high = decoder.take("hi");
    if (!high && !decoder.take("lo")) decoder.unsupported("neither .lo nor .hi");
  }
  const bool writes_carry = decoder.take("cc");
  const Type type = decoder.take_type();
  if (type != Type::u32 && type != Type::s32 && type != Type::u64 && type != Type::s64) {
    decoder.unsupported("carry arithmetic on ." + std::string(name_of(type)));
  }
  instruction.flags = static_cast<std::uint8_t>((reads_carry ? reads_carry_flag : 0) |
                                                (writes_carry ? writes_carry_flag : 0));
  instruction.execute = HWY_DYNAMIC_DISPATCH(CarryHandler)(decoder.opcode(), high, type);
  decode_operands(decoder, instruction, type, type, type);
  if (is_multiply) instruction.c = decoder.read(3, type);
}

}  // namespace tilescope::ptx
#endif
