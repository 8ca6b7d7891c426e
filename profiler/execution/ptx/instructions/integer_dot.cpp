#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/integer_dot.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/dot_products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

Handler DotHandler(bool a_signed, bool b_signed, bool is_dot2, bool upper) {
  return dot_product_handler(a_signed, b_signed, is_dot2, upper);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(DotHandler);

void decode_dot(Decoder& decoder, Instruction& instruction) {
  const bool is_dot2 = decoder.opcode() == "dp2a";
  const bool upper = is_dot2 && decoder.take("hi");
  if (is_dot2 && !upper && !decoder.take("lo")) decoder.unsupported("neither .lo nor .hi");
  const Type a = decoder.take_type();
  const Type b = decoder.take_type();
  if (size_of(a) != 4 || size_of(b) != 4 || is_floating(a) || is_floating(b)) {
    decoder.unsupported("types other than .u32 and .s32");
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(DotHandler)(is_signed(a), is_signed(b), is_dot2, upper);
  decode_operands(decoder, instruction, Type::b32, Type::b32, Type::b32, Type::b32);
}

}  // namespace tilescope::ptx
#endif
