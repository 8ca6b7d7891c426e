#include <array>
#include <cstring>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/load_store.hpp"
#include "profiler/execution/sass/instructions/memory_address.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/load_store.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/find_lanes-inl.hpp"
#include "profiler/execution/simt/memory/lane_moves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <Space space, class Element, class Register, int count>
void load(Warp& warp, const simt::Instruction& i) {
  Lanes lanes;
  constexpr int bytes = count * static_cast<int>(sizeof(Element));
  if (!find_lanes<space, bytes, false>(warp, warp.exec, address_of(warp, i), lanes))
    return load_slowly(warp, i);
  if (warp.block().observer != nullptr) tell(warp, i, simt::Access::load, lanes, bytes, sizeof(Element));
  load_lanes<Element, Register, count>(warp, i, lanes);
}

template <Space space, class Element, class Register, int count>
void store(Warp& warp, const simt::Instruction& i) {
  Lanes lanes;
  constexpr int bytes = count * static_cast<int>(sizeof(Element));
  if (!find_lanes<space, bytes, true>(warp, warp.exec, address_of(warp, i), lanes))
    return store_slowly(warp, i);
  if (warp.block().observer != nullptr) tell(warp, i, simt::Access::store, lanes, bytes, sizeof(Element));
  store_lanes<Element, Register, count>(warp, i, lanes);
}

template <Space space>
simt::Handler load_of(const LoadStoreType& type) {
  if (type.count == 4) return load<space, std::uint32_t, std::uint32_t, 4>;
  if (type.count == 2) return load<space, std::uint32_t, std::uint32_t, 2>;
  if (type.bytes == 4) return load<space, std::uint32_t, std::uint32_t, 1>;
  if (type.bytes == 2 && type.is_signed) return load<space, std::int16_t, std::uint32_t, 1>;
  if (type.bytes == 2) return load<space, std::uint16_t, std::uint32_t, 1>;
  if (type.is_signed) return load<space, std::int8_t, std::uint32_t, 1>;
  return load<space, std::uint8_t, std::uint32_t, 1>;
}

template <Space space>
simt::Handler store_of(const LoadStoreType& type) {
  if (type.count == 4) return store<space, std::uint32_t, std::uint32_t, 4>;
  if (type.count == 2) return store<space, std::uint32_t, std::uint32_t, 2>;
  if (type.bytes == 4) return store<space, std::uint32_t, std::uint32_t, 1>;
  if (type.bytes == 2) return store<space, std::uint16_t, std::uint32_t, 1>;
  return store<space, std::uint8_t, std::uint32_t, 1>;
}

simt::Handler LoadStoreHandler(Space space, LoadStoreType type, bool is_store) {
  switch (space) {
    case Space::shared:
      return is_store ? store_of<Space::shared>(type) : load_of<Space::shared>(type);
    case Space::local:
      return is_store ? store_of<Space::local>(type) : load_of<Space::local>(type);
    case Space::global:
      return is_store ? store_of<Space::global>(type) : load_of<Space::global>(type);
    default:
      return is_store ? store_of<Space::generic>(type) : load_of<Space::generic>(type);
  }
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(LoadStoreHandler);

// The registers of the data are the operands before the address, and d or b when there is one.
LoadStoreType take_type(Decoder& decoder) {
  if (decoder.take("128")) return {4, 4, false};
  if (decoder.take("64")) return {4, 2, false};
  if (decoder.take("U16")) return {2, 1, false};
  if (decoder.take("S16")) return {2, 1, true};
  if (decoder.take("U8")) return {1, 1, false};
  if (decoder.take("S8")) return {1, 1, true};
  return {4, 1, false};
}

void decode_access(Decoder& decoder, simt::Instruction& instruction, Space space, bool is_store) {
  const LoadStoreType type = take_type(decoder);
  const bool has_wide_address = decoder.take("E");
  take_cache_and_order(decoder);
  decoder.data().space = space;
  const simt::Slot data = is_store ? decoder.registers(1, type.count) : decoder.write(0, type.count);
  std::vector<simt::Slot> slots;
  slots.reserve(static_cast<std::size_t>(type.count));
  for (int e = 0; e < type.count; ++e) slots.push_back(data + e * RegisterSlots::step);
  const std::size_t address = is_store ? 0 : 1;
  instruction.immediate = decode_address(decoder, address, slots, instruction.width);
  if (has_wide_address) use_register_pair(decoder, address, slots);
  decoder.more_operands(instruction, slots);
  (is_store ? instruction.b : instruction.d) = data;
  instruction.count = static_cast<std::uint8_t>(type.count);
  instruction.type = static_cast<std::uint8_t>(space);
  instruction.flags = type.pack();
  if (space == Space::shared || space == Space::generic) decoder.note_shared_element(type.bytes);
  // The first bytes of shared memory belong to the system.
  if (space == Space::shared) instruction.immediate -= decoder.reserved_shared_bytes();
  instruction.execute = HWY_DYNAMIC_DISPATCH(LoadStoreHandler)(space, type, is_store);
}

template <Space space>
void decode_load(Decoder& decoder, simt::Instruction& instruction) {
  decode_access(decoder, instruction, space, false);
}
template <Space space>
void decode_store(Decoder& decoder, simt::Instruction& instruction) {
  decode_access(decoder, instruction, space, true);
}

simt::LanePointers resolve_access(Warp& warp, const simt::Instruction& i, simt::Access access) {
  const auto space = static_cast<Space>(i.type);
  const LoadStoreType type = LoadStoreType::unpack(i);
  const auto bytes = static_cast<std::uint8_t>(type.bytes * type.count);
  const auto addresses = addresses_in(warp, address_of(warp, i), space);
  return simt::resolve(warp, i,
                       {.space = space,
                        .access = access,
                        .bytes = bytes,
                        .element_bytes = static_cast<std::uint8_t>(type.bytes),
                        .alignment = bytes},
                       warp.exec, addresses.data());
}

std::uint32_t read_element(const std::byte* at, const LoadStoreType& type) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, static_cast<std::size_t>(type.bytes));
  if (!type.is_signed) return value;
  const int shift = 32 - 8 * type.bytes;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << shift) >> shift);
}

void read_generic_width(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.is_generic = true;
  read_width(parts, facts);
}
void read_matrices(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.matrices = parts.has("4") ? 4 : parts.has("2") ? 2 : 1;
}

constexpr Opcode opcodes[] = {
    Opcode{"LDG", decode_load<Space::global>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_load,
           read_width}
        .uses(simt::DataUse::load),
    Opcode{"STG", decode_store<Space::global>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_store,
           read_width}
        .uses(simt::DataUse::store),
    Opcode{"LDS", decode_load<Space::shared>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::shared_access,
           read_width}
        .uses(simt::DataUse::load),
    Opcode{"STS", decode_store<Space::shared>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::shared_access,
           read_width}
        .uses(simt::DataUse::store),
    Opcode{"LDL", decode_load<Space::local>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::local_load,
           read_width}
        .uses(simt::DataUse::load),
    Opcode{"STL", decode_store<Space::local>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::local_store,
           read_width}
        .uses(simt::DataUse::store),
    Opcode{"LD", decode_load<Space::generic>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_load,
           read_generic_width}
        .uses(simt::DataUse::load),
    Opcode{"ST", decode_store<Space::generic>, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_store,
           read_generic_width}
        .uses(simt::DataUse::store),
    Opcode{"LDSM", decode_load_matrix, simt::Pipe::lsu, HardwarePipe::lsu, Effect::shared_access,
           read_matrices}
        .uses(simt::DataUse::matrix_load),
    Opcode{"STSM", decode_store_matrix, simt::Pipe::lsu, HardwarePipe::lsu, Effect::shared_access}.uses(
        simt::DataUse::matrix_store),
    {"MOVM", decode_transpose, simt::Pipe::lsu, HardwarePipe::lsu},
};

}  // namespace

void read_width(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.lane_bytes = parts.has("128") ? 16 : parts.has("64") ? 8 : 4;
}

void load_slowly(Warp& warp, const simt::Instruction& i) {
  const LoadStoreType type = LoadStoreType::unpack(i);
  const simt::LanePointers memory = resolve_access(warp, i, simt::Access::load);
  for (int e = 0; e < i.count; ++e) {
    auto* result = warp.write<std::uint32_t>(warp.operands(i)[e]);
    for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(simt::first_lane(rest));
      const bool has_memory = (memory.lanes >> lane & 1u) != 0;
      result[lane] = has_memory ? read_element(memory.at[lane] + e * type.bytes, type) : 0;
    }
  }
}

void store_slowly(Warp& warp, const simt::Instruction& i) {
  const LoadStoreType type = LoadStoreType::unpack(i);
  const simt::LanePointers memory = resolve_access(warp, i, simt::Access::store);
  for (LaneMask rest = memory.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(simt::first_lane(rest));
    const auto bytes = stored_bytes(warp, i, lane);
    std::memcpy(memory.at[lane], bytes.data(), static_cast<std::size_t>(type.bytes * type.count));
  }
}

std::array<std::byte, 16> stored_bytes(const Warp& warp, const simt::Instruction& store, unsigned lane) {
  const LoadStoreType type = LoadStoreType::unpack(store);
  std::array<std::byte, 16> bytes{};
  for (int e = 0; e < store.count; ++e) {
    const std::uint32_t value = warp.read<std::uint32_t>(warp.operands(store)[e])[lane];
    std::memcpy(bytes.data() + e * type.bytes, &value, static_cast<std::size_t>(type.bytes));
  }
  return bytes;
}

std::span<const Opcode> load_store_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
