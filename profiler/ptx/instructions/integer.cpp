#include "profiler/ptx/instructions/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/ptx/instructions/integer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/ptx/instructions/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {

// Two's complement: the same bits for signed and unsigned.
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

Handler IntegerAdd(int bytes) {
  switch (bytes) {
    case 2:
      return binary<Add, std::uint16_t>;
    case 4:
      return binary<Add, std::uint32_t>;
    default:
      return binary<Add, std::uint64_t>;
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(IntegerAdd);

void decode_add(Decoder& decoder, Instruction& instruction) {
  const Type type = decoder.take_type();
  if (is_floating(type)) decoder.unsupported("floating add");
  instruction.execute = HWY_DYNAMIC_DISPATCH(IntegerAdd)(size_of(type));
  instruction.d = decoder.write(0, type);
  instruction.a = decoder.read(1, type);
  instruction.b = decoder.read(2, type);
}

constexpr Opcode opcodes[] = {{"add", decode_add, Pipe::alu}};

}  // namespace

std::span<const Opcode> integer_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
