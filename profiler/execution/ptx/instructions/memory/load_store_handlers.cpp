#include "profiler/execution/ptx/instructions/memory/load_store_handlers.hpp"

#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/memory/load_store_handlers.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/memory/lane_moves-inl.hpp"

#ifndef TILESCOPE_PROFILER_PTX_LOAD_STORE_SLOWLY
#define TILESCOPE_PROFILER_PTX_LOAD_STORE_SLOWLY
namespace tilescope::ptx {
// Any form, lane after lane: for forms without a fast handler, and for faults.
void load_slowly(Warp& warp, const Instruction& i);
void store_slowly(Warp& warp, const Instruction& i);
}  // namespace tilescope::ptx
#endif

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

enum class Where { shared32, shared64, global, other };

template <Where where, int bytes, bool is_store>
HWY_NOINLINE bool find(Warp& warp, const Instruction& i, Lanes& lanes) {
  const AddressOperand operand{i.a, i.immediate};
  const LaneMask exec = warp.exec;
  if constexpr (where == Where::shared32)
    return find_shared<std::uint32_t, bytes>(warp, exec, operand, 0, lanes);
  if constexpr (where == Where::shared64)
    return find_shared<std::uint64_t, bytes>(warp, exec, operand, 0, lanes);
  if constexpr (where == Where::global) return find_global<bytes, is_store>(warp, exec, operand, lanes);
  const LoadStoreForm form = LoadStoreForm::unpack(i.flags);
  if (form.space == Space::generic) return find_generic<bytes, is_store>(warp, exec, operand, lanes);
  if (form.space == Space::local) {
    return form.base_bytes == 4 ? find_local<std::uint32_t, bytes>(warp, exec, operand, 0, lanes)
                                : find_local<std::uint64_t, bytes>(warp, exec, operand, 0, lanes);
  }
  if (form.space == Space::param && form.base_bytes == 8)
    return find_parameter<bytes>(warp, exec, operand, lanes);
  // Constant memory has addresses of global memory, and a cache of its own: its reads do not count as global accesses.
  if (form.space == Space::constant) {
    if (!find_global<bytes, is_store>(warp, exec, operand, lanes)) return false;
    lanes.space = Space::constant;
    return true;
  }
  return false;
}

template <Where where, class Element, class Register, int count>
void load(Warp& warp, const Instruction& i) {
  Lanes lanes;
  constexpr int bytes = count * static_cast<int>(sizeof(Element));
  if (!find<where, bytes, false>(warp, i, lanes)) return load_slowly(warp, i);
  if (warp.block().observer != nullptr) tell(warp, i, Access::load, lanes, bytes, sizeof(Element));
  load_lanes<Element, Register, count>(warp, i, lanes);
}

template <Where where, class Element, class Register, int count>
void store(Warp& warp, const Instruction& i) {
  Lanes lanes;
  constexpr int bytes = count * static_cast<int>(sizeof(Element));
  if (!find<where, bytes, true>(warp, i, lanes)) return store_slowly(warp, i);
  if (warp.block().observer != nullptr) tell(warp, i, Access::store, lanes, bytes, sizeof(Element));
  store_lanes<Element, Register, count>(warp, i, lanes);
}

template <Where where, class Element, class Register>
Handler of_count(int count, bool is_store) {
  switch (count) {
    case 1:
      return is_store ? store<where, Element, Register, 1> : load<where, Element, Register, 1>;
    case 2:
      return is_store ? store<where, Element, Register, 2> : load<where, Element, Register, 2>;
    case 4:
      if constexpr (sizeof(Element) == 8) return nullptr;
      return is_store ? store<where, Element, Register, 4> : load<where, Element, Register, 4>;
    default:
      return nullptr;
  }
}

template <Where where>
Handler of_place(int element_bytes, int register_bytes, int count, bool is_store) {
  if (element_bytes == register_bytes) {
    if (element_bytes == 2) return of_count<where, std::uint16_t, std::uint16_t>(count, is_store);
    if (element_bytes == 4) return of_count<where, std::uint32_t, std::uint32_t>(count, is_store);
    if (element_bytes == 8) return of_count<where, std::uint64_t, std::uint64_t>(count, is_store);
  }
  if (count == 1 && element_bytes == 1 && register_bytes == 2) {
    return is_store ? store<where, std::uint8_t, std::uint16_t, 1>
                    : load<where, std::uint8_t, std::uint16_t, 1>;
  }
  if (count == 1 && element_bytes == 1 && register_bytes == 4) {
    return is_store ? store<where, std::uint8_t, std::uint32_t, 1>
                    : load<where, std::uint8_t, std::uint32_t, 1>;
  }
  return nullptr;
}

// nullptr when only the slow handler supports it.
Handler QuickHandler(LoadStoreForm form, int element_bytes, int count, bool is_store) {
  const int register_bytes = form.register_bytes;
  switch (form.space) {
    case Space::shared:
      return form.base_bytes == 4 ? of_place<Where::shared32>(element_bytes, register_bytes, count, is_store)
                                  : of_place<Where::shared64>(element_bytes, register_bytes, count, is_store);
    case Space::global:
      return form.base_bytes == 8 ? of_place<Where::global>(element_bytes, register_bytes, count, is_store)
                                  : nullptr;
    case Space::generic:
    case Space::constant:
      if (form.base_bytes != 8) return nullptr;
      [[fallthrough]];
    case Space::local:
    case Space::param:
      return of_place<Where::other>(element_bytes, register_bytes, count, is_store);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(QuickHandler);

// An element, zero or sign extended or truncated to the size of its register.
struct Value {
  std::uint64_t low = 0, high = 0;
};

Value read_element(const std::byte* at, int bytes, bool sign) {
  Value value;
  std::memcpy(&value, at, static_cast<std::size_t>(bytes));
  if (!sign || bytes >= 8) return value;
  const int shift = 64 - 8 * bytes;
  value.low = static_cast<std::uint64_t>(static_cast<std::int64_t>(value.low << shift) >> shift);
  return value;
}

void set_register(Warp& warp, Slot slot, int bytes, unsigned lane, const Value& value) {
  std::memcpy(warp.write<std::byte>(slot) + static_cast<std::size_t>(bytes) * lane, &value,
              static_cast<std::size_t>(bytes));
}

const std::byte* register_lane(const Warp& warp, Slot slot, int bytes, unsigned lane) {
  return warp.read<std::byte>(slot) + static_cast<std::size_t>(bytes) * lane;
}

LanePointers resolve_access(Warp& warp, const Instruction& i, const LoadStoreForm& form, Access access) {
  const auto bytes = static_cast<std::uint8_t>(i.width * i.count);
  const auto addresses = addresses_of(warp, i.a, form.base_bytes, i.immediate);
  return resolve(
      warp, i,
      {.space = form.space, .access = access, .bytes = bytes, .element_bytes = i.width, .alignment = bytes},
      warp.exec, addresses.data());
}

}  // namespace

void load_slowly(Warp& warp, const Instruction& i) {
  const LoadStoreForm form = LoadStoreForm::unpack(i.flags);
  const LanePointers memory = resolve_access(warp, i, form, Access::load);
  const bool sign = is_signed(static_cast<Type>(i.type));
  for (int e = 0; e < i.count; ++e) {
    const Slot slot = i.count == 1 ? i.d : warp.operands(i)[e];
    for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      Value value;
      if ((memory.lanes >> lane & 1u) != 0)
        value = read_element(memory.at[lane] + e * i.width, i.width, sign);
      set_register(warp, slot, form.register_bytes, lane, value);
    }
  }
}

void store_slowly(Warp& warp, const Instruction& i) {
  const LoadStoreForm form = LoadStoreForm::unpack(i.flags);
  const LanePointers memory = resolve_access(warp, i, form, Access::store);
  for (LaneMask rest = memory.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (int e = 0; e < i.count; ++e) {
      const Slot slot = i.count == 1 ? i.b : warp.operands(i)[e];
      std::memcpy(memory.at[lane] + e * i.width, register_lane(warp, slot, form.register_bytes, lane),
                  i.width);
    }
  }
}

std::uint8_t LoadStoreForm::pack() const {
  int size = 0;
  while (size < 4 && register_bytes != 2 << size) ++size;
  if (size == 4 || (base_bytes != 4 && base_bytes != 8)) {
    throw std::logic_error("a load or store of registers that the register file has not");
  }
  return static_cast<std::uint8_t>(static_cast<int>(space) | (base_bytes == 4 ? 1 : 0) << 3 | size << 4);
}

LoadStoreForm LoadStoreForm::unpack(std::uint8_t flags) {
  return {static_cast<Space>(flags & 7), (flags >> 3 & 1) != 0 ? 4 : 8, 2 << (flags >> 4)};
}

Handler load_handler(const LoadStoreForm& form, int element_bytes, int count, bool sign_extends) {
  if (sign_extends && element_bytes < form.register_bytes) return load_slowly;
  const Handler quick = HWY_DYNAMIC_DISPATCH(QuickHandler)(form, element_bytes, count, false);
  return quick != nullptr ? quick : load_slowly;
}

Handler store_handler(const LoadStoreForm& form, int element_bytes, int count) {
  const Handler quick = HWY_DYNAMIC_DISPATCH(QuickHandler)(form, element_bytes, count, true);
  return quick != nullptr ? quick : store_slowly;
}

}  // namespace tilescope::ptx
#endif
