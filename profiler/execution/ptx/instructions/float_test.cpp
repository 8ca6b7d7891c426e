#include <bit>
#include <string>

#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::ptx {
namespace {

enum Property : std::uint8_t { finite, infinite, number, not_a_number, normal, subnormal };
constexpr std::string_view names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};

// By exponent and mantissa; zero is neither normal nor subnormal.
template <class Bits, int mantissa>
bool has(Property property, Bits bits) {
  constexpr Bits top = (~Bits{0} >> 1) >> mantissa;
  const Bits size = bits & (~Bits{0} >> 1);
  const Bits exponent = size >> mantissa, digits = size & ((Bits{1} << mantissa) - 1);
  switch (property) {
    case finite:
      return exponent != top;
    case infinite:
      return exponent == top && digits == 0;
    case number:
      return exponent != top || digits == 0;
    case not_a_number:
      return exponent == top && digits != 0;
    case normal:
      return exponent != top && exponent != 0;
    default:
      return exponent == 0 && digits != 0;
  }
}

template <class Bits, int mantissa>
void test_property(Warp& warp, const Instruction& i) {
  const Bits* a = warp.read<Bits>(i.a);
  LaneMask mask = 0;
  for (int lane = 0; lane < lane_count; ++lane) {
    mask |= static_cast<LaneMask>(has<Bits, mantissa>(static_cast<Property>(i.flags), a[lane]) ? 1u : 0u)
            << lane;
  }
  warp.set_mask(i.d, mask);
}

}  // namespace

void decode_float_test(Decoder& decoder, Instruction& instruction) {
  const std::string_view wanted = decoder.take_next();
  std::uint8_t property = 0;
  while (property < std::size(names) && names[property] != wanted) ++property;
  if (property == std::size(names)) decoder.unsupported("the property ." + std::string(wanted));
  const Type type = decoder.take_type();
  if (type != Type::f32 && type != Type::f64) decoder.unsupported("a type that is neither .f32 nor .f64");
  instruction.flags = property;
  instruction.execute =
      type == Type::f32 ? test_property<std::uint32_t, 23> : test_property<std::uint64_t, 52>;
  instruction.d = decoder.write_predicate(0);
  instruction.a = decoder.read(1, type);
}

}  // namespace tilescope::ptx
