#include "profiler/execution/simt/memory/lane_access.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "profiler/execution/simt/block.hpp"

namespace tilescope::simt {
namespace {

struct Place {
  Space space = Space::global;
  std::uint64_t address = 0;  // [B] in its space
};

Place place_of(Space space, std::uint64_t address) {
  if (space != Space::generic) return {space, address};
  switch (space_of_generic(address)) {
    case Space::shared:
      return {Space::shared, address - shared_window};
    case Space::local:
      return {Space::local, address - local_window};
    case Space::param:
      return {Space::param, address - param_window};
    default:
      return {Space::global, address};
  }
}

bool fits(std::uint64_t address, std::uint64_t bytes, std::uint64_t size) {
  return address <= size && bytes <= size - address;
}

struct Found {
  std::byte* memory = nullptr;
  FaultKind fault = FaultKind::out_of_bounds;  // where there is no memory
};

Found find_memory(const Warp& warp, unsigned lane, Place place, const LaneRequest& request) {
  const Block& block = warp.block();
  if ((place.address & (request.alignment - 1u)) != 0) return {nullptr, FaultKind::misaligned};
  switch (place.space) {
    case Space::shared:
      if (!fits(place.address, request.bytes, block.shared.size())) return {};
      return {block.shared.data() + place.address};
    case Space::local: {
      const std::uint64_t size = block.program->local_bytes;
      if (!fits(place.address, request.bytes, size)) return {};
      return {block.local.data() + (warp.first_thread() + lane) * size + place.address};
    }
    case Space::param: {
      const auto& parameters = block.launch->parameters;
      if (!fits(place.address, request.bytes, parameters.size())) return {};
      if (writes(request.access)) return {nullptr, FaultKind::read_only};
      return {const_cast<std::byte*>(parameters.data()) + place.address};
    }
    default: {
      const Allocation* allocation = block.global->find(place.address, request.bytes);
      if (allocation == nullptr) return {};
      if (allocation->read_only && writes(request.access)) return {nullptr, FaultKind::read_only};
      return {allocation->data + (place.address - allocation->address)};
    }
  }
}

std::string_view verb(Access access) {
  if (is_atomic(access)) return "updates";
  return writes(access) ? "writes" : "reads";
}

// No memory lies so near to address 0.
constexpr std::uint64_t null_bytes = std::uint64_t{1} << 20;

// "a null pointer, 64 bytes behind it (argument 2 of the kernel is 0)"
std::string null_pointer(const Block& block, std::uint64_t address) {
  const bool is_before = address > null_bytes;
  const std::uint64_t offset = is_before ? 0 - address : address;
  std::string text = "a null pointer";
  if (offset != 0) text += fmt::format(", {} bytes {} it", offset, is_before ? "before" : "behind");
  std::string zeros;
  const auto& parameters = block.program->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::uint64_t value = 0;
    if (parameters[i].bytes != sizeof value) continue;
    std::memcpy(&value, block.launch->parameters.data() + parameters[i].offset, sizeof value);
    if (value == 0) zeros += fmt::format("{}{}", zeros.empty() ? "" : ", ", i);
  }
  return zeros.empty() ? text : text + " (0 was given for argument " + zeros + " of the kernel)";
}

bool is_near_null(std::uint64_t address) {
  return address < null_bytes || 0 - address < null_bytes;
}

std::string beside_allocation(const Block& block, std::uint64_t address) {
  if (is_near_null(address)) return null_pointer(block, address);
  const Allocation* nearest = block.global->nearest(address);
  if (nearest == nullptr) return "the kernel was given no memory";
  if (address < nearest->address) {
    return fmt::format("{} bytes before '{}' ({} bytes)", nearest->address - address, nearest->name,
                       nearest->bytes);
  }
  const std::uint64_t offset = address - nearest->address;
  if (offset < nearest->bytes)
    return fmt::format("at byte {} of '{}', which has {}", offset, nearest->name, nearest->bytes);
  return fmt::format("{} bytes behind the end of '{}' ({} bytes)", offset - nearest->bytes, nearest->name,
                     nearest->bytes);
}

std::string reason(const Block& block, Place place, const LaneRequest& request, FaultKind kind) {
  if (kind == FaultKind::misaligned) {
    return fmt::format("the address must be a multiple of {}", unsigned{request.alignment});
  }
  if (kind == FaultKind::read_only) {
    if (place.space == Space::param) return "kernel parameters cannot be written";
    return fmt::format("{}, which is read-only: copy it to memory that the kernel owns",
                       beside_allocation(block, place.address));
  }
  switch (place.space) {
    case Space::shared:
      return fmt::format(
          "the block has {} bytes of shared memory ({} static, {} dynamic): check the index, or launch with "
          "more",
          block.shared.size(), block.program->static_shared_bytes, block.launch->dynamic_shared_bytes);
    case Space::local:
      return fmt::format("a thread has {} bytes of local memory: check the index",
                         block.program->local_bytes);
    case Space::param:
      return fmt::format("the kernel has {} bytes of parameters", block.launch->parameters.size());
    default:
      if (is_near_null(place.address))
        return beside_allocation(block, place.address) + ": give the kernel a buffer, or test the pointer";
      return beside_allocation(block, place.address) + ": check the index and the bounds test before it";
  }
}

Fault make_fault(const Warp& warp, const Instruction& instruction, unsigned lane, Place place,
                 const LaneRequest& request, FaultKind kind) {
  const Block& block = warp.block();
  const std::string_view space = place.space == Space::constant ? "constant" : name_of(place.space);
  Fault fault;
  fault.kind = kind;
  fault.origin = instruction.origin;
  fault.block = {block.index.x, block.index.y, block.index.z};
  fault.thread = warp.first_thread() + lane;
  fault.address = place.address;
  fault.text = fmt::format("Thread {} of block ({}, {}, {}) {} {} bytes at {} address {:#x} ({}): {}.",
                           fault.thread, block.index.x, block.index.y, block.index.z, verb(request.access),
                           unsigned{request.bytes}, space, place.address,
                           describe_place(*block.program, instruction), reason(block, place, request, kind));
  return fault;
}

// The piece of memory that holds an address; of size 0 when there is none or the access is not allowed.
struct Piece {
  Space space = Space::global;
  std::byte* memory = nullptr;
  std::uint64_t size = 0;
  std::uint64_t begin = 0;   // the address that `memory` has in the request's space
  std::uint64_t origin = 0;  // and in its own
};

Piece piece_at(const Block& block, const LaneRequest& request, std::uint64_t address) {
  const Place place = place_of(request.space, address);
  if (place.space == Space::shared) {
    return {Space::shared, block.shared.data(), block.shared.size(), address - place.address, 0};
  }
  if (place.space != Space::global && place.space != Space::constant) return {};
  const Allocation* allocation = block.global->find(place.address, request.bytes);
  if (allocation == nullptr || (allocation->read_only && writes(request.access))) return {};
  return {place.space, allocation->data, allocation->bytes, allocation->address, allocation->address};
}

// The common case: all lanes in one piece of memory, without a fault. Returns false when the lanes must be handled one
// by one.
bool resolve_in_one_piece(Warp& warp, const Instruction& instruction, const LaneRequest& request,
                          LaneMask lanes, const std::uint64_t* addresses, LanePointers& result) {
  Block& block = warp.block();
  const Piece piece = piece_at(block, request, addresses[std::countr_zero(lanes)]);
  if (piece.size < request.bytes) return false;
  const std::uint64_t limit = piece.size - request.bytes, odd = request.alignment - 1u;
  std::array<std::uint64_t, lane_count> in_space;
  LaneMask wrong = 0;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    const std::uint64_t offset = addresses[lane] - piece.begin;
    const bool is_wrong = offset > limit || (offset & odd) != 0;
    wrong |= LaneMask{is_wrong} << lane;
    in_space[lane] = piece.origin + offset;
    result.at[lane] = piece.memory + (is_wrong ? 0 : offset);
  }
  if ((wrong & lanes) != 0) return false;
  result.lanes = lanes;
  if (block.observer != nullptr && request.is_told) {
    block.observer->access(warp, {.instruction = &instruction,
                                  .space = piece.space,
                                  .access = request.access,
                                  .lane_bytes = request.bytes,
                                  .element_bytes = request.element_bytes,
                                  .lanes = lanes,
                                  .addresses = in_space.data(),
                                  .source_addresses = request.source_addresses,
                                  .source_lanes = request.source_lanes});
  }
  return true;
}

constexpr Space spaces[] = {Space::global, Space::shared, Space::local, Space::param, Space::constant};

}  // namespace

LanePointers resolve(Warp& warp, const Instruction& instruction, const LaneRequest& request, LaneMask lanes,
                     const std::uint64_t* addresses) {
  LanePointers result;
  if (resolve_in_one_piece(warp, instruction, request, lanes, addresses, result)) return result;
  std::array<std::uint64_t, lane_count> in_space{};
  std::array<LaneMask, std::size(spaces)> lanes_in{};
  std::optional<Fault> fault;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Place place = place_of(request.space, addresses[lane]);
    const Found found = find_memory(warp, lane, place, request);
    if (found.memory == nullptr) {
      if (!fault) fault = make_fault(warp, instruction, lane, place, request, found.fault);
      continue;
    }
    result.lanes |= LaneMask{1} << lane;
    result.at[lane] = found.memory;
    in_space[lane] = place.address;
    for (std::size_t s = 0; s < std::size(spaces); ++s) {
      if (spaces[s] == place.space) lanes_in[s] |= LaneMask{1} << lane;
    }
  }
  Block& block = warp.block();
  if (fault) block.raise(std::move(*fault));
  if (block.observer == nullptr || !request.is_told) return result;
  for (std::size_t s = 0; s < std::size(spaces); ++s) {
    if (lanes_in[s] == 0) continue;
    block.observer->access(warp, {.instruction = &instruction,
                                  .space = spaces[s],
                                  .access = request.access,
                                  .lane_bytes = request.bytes,
                                  .element_bytes = request.element_bytes,
                                  .lanes = lanes_in[s],
                                  .addresses = in_space.data(),
                                  .source_addresses = request.source_addresses,
                                  .source_lanes = request.source_lanes});
  }
  return result;
}

std::span<const std::byte> readable_memory(const Warp& warp, unsigned lane, std::uint64_t address) {
  const Block& block = warp.block();
  const Place place = place_of(Space::generic, address);
  const auto behind = [](std::span<const std::byte> piece, std::uint64_t offset) {
    return offset < piece.size() ? piece.subspan(offset) : std::span<const std::byte>();
  };
  switch (place.space) {
    case Space::shared:
      // A generic address counts the bytes of the system, which come first.
      return behind(block.shared, place.address - block.program->reserved_shared_bytes);
    case Space::local: {
      const std::size_t size = block.program->local_bytes;
      return behind(block.local.subspan((warp.first_thread() + lane) * size, size), place.address);
    }
    case Space::param:
      return behind(block.launch->parameters, place.address);
    default: {
      const Allocation* allocation = block.global->find(place.address, 1);
      if (allocation == nullptr) return {};
      return behind({allocation->data, allocation->bytes}, place.address - allocation->address);
    }
  }
}

std::array<std::uint64_t, lane_count> addresses_of(const Warp& warp, Slot base, int base_bytes,
                                                   std::int64_t offset) {
  std::array<std::uint64_t, lane_count> addresses;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    addresses[lane] = base_bytes == 4
                          ? warp.read<std::uint32_t>(base)[lane] + static_cast<std::uint32_t>(offset)
                          : warp.read<std::uint64_t>(base)[lane] + static_cast<std::uint64_t>(offset);
  }
  return addresses;
}

}  // namespace tilescope::simt
