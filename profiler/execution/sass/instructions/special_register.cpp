#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/move_family.hpp"
#include "profiler/execution/simt/block.hpp"

// Special registers. Values that a kernel cannot rely on are as if the grid ran on one SM, as in the PTX
// interpreter.
namespace tilescope::sass {
namespace {

using simt::lane_count;
using simt::Warp;

std::uint32_t thread_of(const Warp& warp, std::uint32_t lane) {
  return warp.first_thread() + lane;
}
std::uint32_t tid_x(const Warp& warp, std::uint32_t lane) {
  return thread_of(warp, lane) % warp.block().launch->block.x;
}
std::uint32_t tid_y(const Warp& warp, std::uint32_t lane) {
  const simt::Dimensions& block = warp.block().launch->block;
  return thread_of(warp, lane) / block.x % block.y;
}
std::uint32_t tid_z(const Warp& warp, std::uint32_t lane) {
  const simt::Dimensions& block = warp.block().launch->block;
  return thread_of(warp, lane) / block.x / block.y;
}
std::uint32_t ctaid_x(const Warp& warp, std::uint32_t) {
  return warp.block().index.x;
}
std::uint32_t ctaid_y(const Warp& warp, std::uint32_t) {
  return warp.block().index.y;
}
std::uint32_t ctaid_z(const Warp& warp, std::uint32_t) {
  return warp.block().index.z;
}
std::uint32_t ntid_x(const Warp& warp, std::uint32_t) {
  return warp.block().launch->block.x;
}
std::uint32_t ntid_y(const Warp& warp, std::uint32_t) {
  return warp.block().launch->block.y;
}
std::uint32_t ntid_z(const Warp& warp, std::uint32_t) {
  return warp.block().launch->block.z;
}
std::uint32_t nctaid_x(const Warp& warp, std::uint32_t) {
  return warp.block().launch->grid.x;
}
std::uint32_t nctaid_y(const Warp& warp, std::uint32_t) {
  return warp.block().launch->grid.y;
}
std::uint32_t nctaid_z(const Warp& warp, std::uint32_t) {
  return warp.block().launch->grid.z;
}
std::uint32_t lane_id(const Warp&, std::uint32_t lane) {
  return lane;
}
// ptxas takes %warpid and %nwarpid from bits 8 up of these two.
std::uint32_t virtual_id(const Warp& warp, std::uint32_t) {
  return static_cast<std::uint32_t>(warp.index()) << 8;
}
std::uint32_t virtual_configuration(const Warp& warp, std::uint32_t) {
  return (warp.block().threads() + lane_count - 1) / lane_count << 8;
}
std::uint32_t mask_equal(const Warp&, std::uint32_t lane) {
  return 1u << lane;
}
std::uint32_t mask_below(const Warp&, std::uint32_t lane) {
  return (1u << lane) - 1;
}
std::uint32_t mask_up_to(const Warp&, std::uint32_t lane) {
  return (2u << lane) - 1;
}
std::uint32_t mask_above(const Warp&, std::uint32_t lane) {
  return ~((2u << lane) - 1);
}
std::uint32_t mask_from(const Warp&, std::uint32_t lane) {
  return ~((1u << lane) - 1);
}
std::uint32_t shared_bytes(const Warp& warp, std::uint32_t) {
  return static_cast<std::uint32_t>(warp.block().shared.size());
}
// The block's clock counts its warp instructions, so that runs are reproducible; the timer's nanoseconds are the same.
std::uint32_t clock_low(const Warp& warp, std::uint32_t) {
  return static_cast<std::uint32_t>(warp.block().clock);
}
std::uint32_t clock_high(const Warp& warp, std::uint32_t) {
  return static_cast<std::uint32_t>(warp.block().clock >> 32);
}
// The upper half of generic addresses in shared memory; the lower half is the address that LDS takes.
std::uint32_t shared_window_high(const Warp&, std::uint32_t) {
  return static_cast<std::uint32_t>(simt::shared_window >> 32);
}
// SR_LMEMHIOFF: where the stack may grow down to; a debug build traps below it.
std::uint32_t zero(const Warp&, std::uint32_t) {
  return 0;
}

using Value = std::uint32_t (*)(const Warp&, std::uint32_t lane);

template <Value value>
void read_special(Warp& warp, const simt::Instruction& i) {
  auto* d = warp.write<std::uint32_t>(i.d);
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0) d[lane] = value(warp, lane);
  }
}
// Reads lane 0's value into a uniform register.
template <Value value>
void read_uniformly(Warp& warp, const simt::Instruction& i) {
  auto* d = warp.write<std::uint32_t>(i.d);
  const std::uint32_t one = value(warp, 0);
  for (int lane = 0; lane < lane_count; ++lane) d[lane] = one;
}
template <Value low, Value high>
void read_pair(Warp& warp, const simt::Instruction& i) {
  read_special<low>(warp, i);
  simt::Instruction upper = i;
  upper.d = i.d + RegisterSlots::step;
  read_special<high>(warp, upper);
}

struct SpecialRegister {
  std::string_view name;
  simt::Handler to_lanes, to_uniform;
  /// CS2R of 64 bits; nullptr for those that have no upper half.
  simt::Handler to_pair = nullptr;
};
template <Value value>
constexpr SpecialRegister special(std::string_view name) {
  return {name, read_special<value>, read_uniformly<value>};
}
template <Value low, Value high>
constexpr SpecialRegister special_pair(std::string_view name) {
  return {name, read_special<low>, read_uniformly<low>, read_pair<low, high>};
}

constexpr SpecialRegister registers[] = {
    special<tid_x>("SR_TID.X"),
    special<tid_y>("SR_TID.Y"),
    special<tid_z>("SR_TID.Z"),
    special<ctaid_x>("SR_CTAID.X"),
    special<ctaid_y>("SR_CTAID.Y"),
    special<ctaid_z>("SR_CTAID.Z"),
    special<ntid_x>("SR_NTID.X"),
    special<ntid_y>("SR_NTID.Y"),
    special<ntid_z>("SR_NTID.Z"),
    special<nctaid_x>("SR_NCTAID.X"),
    special<nctaid_y>("SR_NCTAID.Y"),
    special<nctaid_z>("SR_NCTAID.Z"),
    special<lane_id>("SR_LANEID"),
    special<virtual_id>("SR_VIRTID"),
    special<virtual_configuration>("SR_VIRTCFG"),
    special<zero>("SR_VIRTUALSMID"),
    special<zero>("SR_CgaCtaId"),
    special<mask_equal>("SR_EQMASK"),
    special<mask_below>("SR_LTMASK"),
    special<mask_up_to>("SR_LEMASK"),
    special<mask_above>("SR_GTMASK"),
    special<mask_from>("SR_GEMASK"),
    special<shared_bytes>("SR_SMEMSZ"),
    special<shared_window_high>("SR_SWINHI"),
    special<zero>("SR_LMEMHIOFF"),
    special_pair<clock_low, clock_high>("SR_CLOCKLO"),
    special<clock_high>("SR_CLOCKHI"),
    special_pair<clock_low, clock_high>("SR_GLOBALTIMERLO"),
    special<clock_high>("SR_GLOBALTIMERHI"),
    special_pair<zero, zero>("SRZ"),
};

}  // namespace

void decode_special_register(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_pair = decoder.opcode() == "CS2R" && !decoder.take("32");
  const Operand& source = decoder.take_operand(1);
  if (source.kind != Operand::Kind::special) decoder.unsupported("its source is no special register");
  for (const SpecialRegister& known : registers) {
    if (known.name == source.name) {
      instruction.execute = is_pair                ? known.to_pair
                            : decoder.is_uniform() ? known.to_uniform
                                                   : known.to_lanes;
    }
  }
  if (instruction.execute == nullptr) decoder.unsupported("this special register is not known");
  decoder.data().reads_clock =
      source.name.starts_with("SR_CLOCK") || source.name.starts_with("SR_GLOBALTIMER");
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0, is_pair ? 2 : 1);
}

}  // namespace tilescope::sass
