#include <limits>
#include <string>
#include <type_traits>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/integer_division.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// PTX leaves division by zero undefined. Here, as on the hardware, the quotient has all bits set and the remainder is
// the dividend. The lowest number divided by -1 gives itself, remainder 0.
template <class T>
HWY_INLINE bool overflows(T a, T b) {
  if constexpr (std::is_signed_v<T>) return a == std::numeric_limits<T>::min() && b == -1;
  (void)a, (void)b;
  return false;
}
struct Quotient {
  template <class T>
  T operator()(T a, T b) const {
    const bool defined = b != 0 && !overflows(a, b);
    const T quotient = static_cast<T>(a / (defined ? b : T{1}));
    return b == 0 ? static_cast<T>(-1) : quotient;
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    const bool defined = b != 0 && !overflows(a, b);
    const T remainder = static_cast<T>(a % (defined ? b : T{1}));
    return b == 0 ? a : remainder;
  }
};
// 16 and 32 bits: a quotient of doubles is exact after truncation, since two integers of 32 bits that divide to less
// than an integer are further from it than a double's rounding.
struct FastQuotient {
  template <class T>
  T operator()(T a, T b) const {
    const double quotient = static_cast<double>(a) / static_cast<double>(b == 0 ? T{1} : b);
    const T truncated = static_cast<T>(static_cast<std::int64_t>(quotient));
    return b == 0 ? static_cast<T>(-1) : truncated;
  }
};
struct FastRemainder {
  template <class T>
  T operator()(T a, T b) const {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    const double quotient = static_cast<double>(a) / static_cast<double>(b == 0 ? T{1} : b);
    const U truncated = static_cast<U>(static_cast<std::int64_t>(quotient));
    return b == 0 ? a : static_cast<T>(static_cast<U>(a) - truncated * static_cast<U>(b));
  }
};

template <class Fast, class Exact>
Handler division(Type type) {
  switch (type) {
    case Type::u16:
      return binary<Fast, std::uint16_t>;
    case Type::s16:
      return binary<Fast, std::int16_t>;
    case Type::u32:
      return binary<Fast, std::uint32_t>;
    case Type::s32:
      return binary<Fast, std::int32_t>;
    case Type::u64:
      return binary<Exact, std::uint64_t>;
    default:
      return binary<Exact, std::int64_t>;
  }
}
Handler DivisionHandler(bool remainder, Type type) {
  return remainder ? division<FastRemainder, Remainder>(type) : division<FastQuotient, Quotient>(type);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(DivisionHandler);

void decode_integer_division(Decoder& decoder, Instruction& instruction) {
  const Type type = decoder.take_type();
  if (type < Type::u16 || type > Type::s64 || type == Type::s8) {
    decoder.unsupported("integer division of ." + std::string(name_of(type)));
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(DivisionHandler)(decoder.opcode() == "rem", type);
  decode_operands(decoder, instruction, type, type, type);
}

}  // namespace tilescope::ptx
#endif
