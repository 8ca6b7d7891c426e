#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/lanes/independent_lanes.hpp"
#include "profiler/execution/simt/warp.hpp"

// cvta and isspacep: a generic address is the state space's address moved into that space's window. Global and constant
// memory have no window.
namespace tilescope::ptx {
namespace {

// d = a + immediate
void move_address(Warp& warp, const Instruction& i) {
  std::uint64_t* d = warp.write<std::uint64_t>(i.d);
  const std::uint64_t* a = warp.read<std::uint64_t>(i.a);
  const auto offset = static_cast<std::uint64_t>(i.immediate);
  const LaneMask exec = warp.exec;
  if (exec == all_lanes) {
    TILESCOPE_INDEPENDENT_LANES
    for (int lane = 0; lane < lane_count; ++lane) d[lane] = a[lane] + offset;
    return;
  }
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((exec >> lane & 1u) != 0) d[lane] = a[lane] + offset;
  }
}

// Whether the address lies in the window at `immediate`, or, for 0, in none.
void test_space(Warp& warp, const Instruction& i) {
  const std::uint64_t* a = warp.read<std::uint64_t>(i.a);
  const auto in = [](std::uint64_t address, std::uint64_t window) { return address - window < window_bytes; };
  const auto window = static_cast<std::uint64_t>(i.immediate);
  LaneMask mask = 0;
  for (int lane = 0; lane < lane_count; ++lane) {
    const bool in_any = in(a[lane], shared_window) || in(a[lane], local_window) || in(a[lane], param_window);
    const bool found = window != 0 ? in(a[lane], window) : !in_any;
    mask |= static_cast<LaneMask>(found ? 1u : 0u) << lane;
  }
  warp.set_mask(i.d, mask);
}

// The start of the window of the space that the instruction names; 0 for a space without one.
std::uint64_t take_window(Decoder& decoder) {
  if (decoder.take("shared") || decoder.take("shared::cta")) return shared_window;
  if (decoder.take("local")) return local_window;
  if (decoder.take("param") || decoder.take("param::entry")) return param_window;
  if (decoder.take("global") || decoder.take("const")) return 0;
  decoder.unsupported("its state space");
}

}  // namespace

void decode_address_conversion(Decoder& decoder, Instruction& instruction) {
  const bool to_space = decoder.take("to");
  const std::uint64_t window = take_window(decoder);
  const Type type = decoder.take_type();
  if (type != Type::u64) decoder.unsupported("an address of 32 bits");
  instruction.execute = move_address;
  instruction.immediate = static_cast<std::int64_t>(to_space ? 0 - window : window);
  decode_operands(decoder, instruction, type, type);
}

void decode_space_test(Decoder& decoder, Instruction& instruction) {
  if (decoder.take("const"))
    decoder.unsupported("constant memory, which cannot be distinguished from global memory");
  instruction.immediate = static_cast<std::int64_t>(take_window(decoder));
  instruction.execute = test_space;
  instruction.d = decoder.write_predicate(0);
  instruction.a = decoder.read(1, Type::u64);
}

}  // namespace tilescope::ptx
