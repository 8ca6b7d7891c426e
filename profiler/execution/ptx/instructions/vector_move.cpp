#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::size_t most_components = 4;

// The further operands are the components of the result, then the source's. A source may have components of the result,
// in another order: a lane's are all read before the first is written.
void copy_components(Warp& warp, const Instruction& i) {
  const Slot* to = warp.operands(i);
  const Slot* from = to + i.count;
  std::array<std::array<std::byte, sizeof(std::uint64_t)>, most_components> values;
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const std::size_t at = static_cast<std::size_t>(first_lane(rest)) * i.width;
    for (std::size_t c = 0; c < i.count; ++c)
      std::memcpy(values[c].data(), warp.read<std::byte>(from[c]) + at, i.width);
    for (std::size_t c = 0; c < i.count; ++c)
      std::memcpy(warp.write<std::byte>(to[c]) + at, values[c].data(), i.width);
  }
}

const std::vector<OperandSyntax>& components(Decoder& decoder, std::size_t index, std::size_t count) {
  const OperandSyntax& operand = decoder.take_operand(index);
  if (operand.kind != OperandSyntax::Kind::vector || operand.elements.size() != count) {
    decoder.unsupported("operand " + std::to_string(index + 1) + " is not a vector of " +
                        std::to_string(count));
  }
  return operand.elements;
}

}  // namespace

void decode_vector_move(Decoder& decoder, Instruction& instruction, std::size_t count) {
  const Type type = decoder.take_type();
  if (size_of(type) < 2 || size_of(type) > 8) decoder.unsupported("a vector of this type");
  std::vector<Slot> slots;
  for (const OperandSyntax& element : components(decoder, 0, count))
    slots.push_back(decoder.write(element, type));
  for (const OperandSyntax& element : components(decoder, 1, count))
    slots.push_back(decoder.read(element, type));
  decoder.more_operands(instruction, slots);
  instruction.count = static_cast<std::uint8_t>(count);
  instruction.width = static_cast<std::uint8_t>(size_of(type));
  instruction.execute = copy_components;
}

}  // namespace tilescope::ptx
