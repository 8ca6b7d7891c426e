#include <algorithm>
#include <string_view>

#include "profiler/execution/ptx/instructions/convert_form.hpp"
#include "profiler/execution/simt/lanes/packed_integers.hpp"
#include "profiler/execution/simt/warp.hpp"

// cvt.pack: two integers, saturated to 2 to 16 bits, side by side with a in the upper place. The narrower forms shift c
// upward and put them below it.
namespace tilescope::ptx {
namespace {

using simt::Packed, simt::packed_types, simt::saturated;

void pack_saturated(Warp& warp, const Instruction& i) {
  const Packed& type = packed_types[i.type];
  const std::int32_t *a = warp.read<std::int32_t>(i.a), *b = warp.read<std::int32_t>(i.b);
  const std::uint32_t* c = i.c == no_slot ? nullptr : warp.read<std::uint32_t>(i.c);
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const std::uint32_t pair = saturated(a[lane], type) << type.bits | saturated(b[lane], type);
    d[lane] = c == nullptr ? pair : c[lane] << 2 * type.bits | pair;
  }
}

}  // namespace

void decode_convert_pack(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("sat")) decoder.unsupported("cvt.pack without .sat");
  const std::string_view name = decoder.take_next();
  const auto type = std::ranges::find(packed_types, name, &Packed::name);
  if (type == packed_types.end()) decoder.unsupported("cvt.pack to ." + std::string(name));
  if (decoder.take_type() != Type::s32) decoder.unsupported("cvt.pack of a type that is not .s32");
  const bool has_third = type->bits < 16;
  if (has_third && decoder.take_type() != Type::b32) decoder.unsupported("a third type that is not .b32");
  instruction.type = static_cast<std::uint8_t>(type - packed_types.begin());
  instruction.execute = pack_saturated;
  decode_operands(decoder, instruction, Type::b32, Type::s32, Type::s32);
  if (has_third) instruction.c = decoder.read(3, Type::b32);
}

}  // namespace tilescope::ptx
