#include <bit>
#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/lanes/across_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/warp_wide.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/shuffle-inl.hpp"

// Instructions across the lanes of a warp: `a` is the member mask, exec holds the live members, b is the value.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

Handler ShuffleHandler(std::string_view mode) {
  if (mode == "up") return shuffle<Up>;
  if (mode == "down") return shuffle<Down>;
  return mode == "bfly" ? shuffle<Butterfly> : shuffle<Indexed>;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(ShuffleHandler);

template <class T>
void set_all(Warp& warp, Slot d, T value) {
  simt::broadcast(warp.write<T>(d), warp.exec, value);
}

// Without .sync an instruction acts on the lanes that execute it together, as on GPUs before sm_70 and, until ISA 6.4
// withdrew it, on all others.
bool take_sync(Decoder& decoder) {
  if (decoder.take("sync")) return true;
  const Module& module = decoder.module();
  const bool is_older = module.version_major < 6 || (module.version_major == 6 && module.version_minor < 4);
  if (module.target_number >= 70 && !is_older) {
    decoder.unsupported(std::string(decoder.opcode()) + " without .sync, which sm_70 and newer do not have");
  }
  return false;
}

void decode_shuffle(Decoder& decoder, Instruction& instruction) {
  const bool has_members = take_sync(decoder);
  const std::string_view mode = decoder.take_next();
  if (mode != "up" && mode != "down" && mode != "bfly" && mode != "idx") decoder.unsupported("its mode");
  if (decoder.take_type() != Type::b32) decoder.unsupported("a type that is not .b32");
  if (has_members) instruction.flow = Flow::warp_wide;
  instruction.execute = HWY_DYNAMIC_DISPATCH(ShuffleHandler)(mode);
  const OperandSyntax& result = decoder.take_operand(0);
  const bool is_pair = result.kind == OperandSyntax::Kind::pair;
  instruction.b = decoder.read(1, Type::b32);
  instruction.c = decoder.read(2, Type::b32);
  const Slot clamp = decoder.read(3, Type::b32);
  if (has_members) instruction.a = decoder.read(4, Type::b32);
  instruction.d = decoder.write(is_pair ? result.elements.at(0) : result, Type::b32);
  const Slot further[] = {clamp, is_pair ? decoder.write_predicate(result.elements.at(1)) : no_slot};
  decoder.more_operands(instruction, std::span(further, is_pair ? 2 : 1));
}

// Lanes with other member masks vote apart, also where they execute the instruction together: parts of a warp.
template <Handler of_one_mask>
void by_members(Warp& warp, const Instruction& i) {
  if (i.a == no_slot) return of_one_mask(warp, i);
  const LaneMask exec = warp.exec;
  const auto* masks = warp.read<LaneMask>(i.a);
  for (LaneMask rest = exec; rest != 0; rest &= ~warp.exec) {
    const LaneMask members = masks[std::countr_zero(rest)];
    warp.exec = 0;
    for (LaneMask left = rest; left != 0; left &= left - 1) {
      if (masks[std::countr_zero(left)] == members) warp.exec |= left & (~left + 1);
    }
    of_one_mask(warp, i);
  }
  warp.exec = exec;
}

LaneMask voters(const Warp& warp, const Instruction& i) {
  const LaneMask predicate = warp.mask(i.b);
  return ((i.flags & 1) != 0 ? ~predicate : predicate) & warp.exec;
}
void vote_all(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, voters(warp, i) == warp.exec ? all_lanes : 0);
}
void vote_any(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, voters(warp, i) != 0 ? all_lanes : 0);
}
void vote_uniform(Warp& warp, const Instruction& i) {
  const LaneMask yes = voters(warp, i);
  warp.set_mask(i.d, yes == warp.exec || yes == 0 ? all_lanes : 0);
}
void vote_ballot(Warp& warp, const Instruction& i) {
  set_all(warp, i.d, voters(warp, i));
}

void decode_vote(Decoder& decoder, Instruction& instruction) {
  const bool has_members = take_sync(decoder);
  const std::string_view mode = decoder.take_next();
  const bool is_ballot = mode == "ballot";
  if (decoder.take_type() != (is_ballot ? Type::b32 : Type::pred)) decoder.unsupported("its type");
  if (!is_ballot && mode != "all" && mode != "any" && mode != "uni") decoder.unsupported("its mode");
  if (has_members) instruction.flow = Flow::warp_wide;
  instruction.execute = is_ballot       ? by_members<vote_ballot>
                        : mode == "all" ? by_members<vote_all>
                        : mode == "any" ? by_members<vote_any>
                                        : by_members<vote_uniform>;
  const Decoder::Predicate predicate = decoder.read_predicate(1);
  instruction.b = predicate.slot;
  instruction.flags = predicate.negated ? 1 : 0;
  if (has_members) instruction.a = decoder.read(2, Type::b32);
  instruction.d = is_ballot ? decoder.write(0, Type::b32) : decoder.write_predicate(0);
}

// Each lane gets the mask of those with its value.
template <class T>
void match_any(Warp& warp, const Instruction& i) {
  const T* value = warp.read<T>(i.b);
  simt::write_groups(warp.write<LaneMask>(i.d), warp.exec,
                     [&](int lane) { return simt::lanes_with(value, warp.exec, value[lane]); });
}
// The member mask when all have one value, else 0; and a predicate in the first further operand.
template <class T>
void match_all(Warp& warp, const Instruction& i) {
  const T* value = warp.read<T>(i.b);
  const bool same = simt::lanes_with(value, warp.exec, value[std::countr_zero(warp.exec)]) == warp.exec;
  const LaneMask members = warp.read<LaneMask>(i.a)[std::countr_zero(warp.exec)];
  set_all(warp, i.d, same ? members : 0u);
  if (i.operand_count != 0) warp.set_mask(warp.operands(i)[0], same ? all_lanes : 0);
}

void decode_match(Decoder& decoder, Instruction& instruction) {
  const bool all = decoder.take("all");
  if (!all && !decoder.take("any")) decoder.unsupported("neither .all nor .any");
  if (!decoder.take("sync")) decoder.unsupported("match without .sync");
  const Type type = decoder.take_type();
  if (type != Type::b32 && type != Type::b64) decoder.unsupported("a type that is not .b32 or .b64");
  instruction.flow = Flow::warp_wide;
  instruction.execute =
      type == Type::b32 ? (all ? by_members<match_all<std::uint32_t>> : by_members<match_any<std::uint32_t>>)
                        : (all ? by_members<match_all<std::uint64_t>> : by_members<match_any<std::uint64_t>>);
  const OperandSyntax& result = decoder.take_operand(0);
  const bool is_pair = result.kind == OperandSyntax::Kind::pair;
  if (is_pair && !all) decoder.unsupported("a predicate of match.any");
  instruction.b = decoder.read(1, type);
  instruction.a = decoder.read(2, Type::b32);
  instruction.d = decoder.write(is_pair ? result.elements.at(0) : result, Type::b32);
  if (!is_pair) return;
  const Slot predicate = decoder.write_predicate(result.elements.at(1));
  decoder.more_operands(instruction, std::span(&predicate, 1));
}

template <class Operation, class T>
void reduce(Warp& warp, const Instruction& i) {
  set_all(warp, i.d, simt::reduce_lanes<Operation>(warp.read<T>(i.b), warp.exec));
}

template <class Operation, class T>
constexpr Handler reduction_by_members = by_members<reduce<Operation, T>>;

Handler reduction(std::string_view operation, Type type) {
  if (type == Type::b32) {
    if (operation == "and") return reduction_by_members<simt::Both, std::uint32_t>;
    if (operation == "or") return reduction_by_members<simt::Either, std::uint32_t>;
    return operation == "xor" ? reduction_by_members<simt::Parity, std::uint32_t> : nullptr;
  }
  const bool with_sign = type == Type::s32;
  if (!with_sign && type != Type::u32) return nullptr;
  if (operation == "add") return reduction_by_members<simt::Sum, std::uint32_t>;
  if (operation == "min")
    return with_sign ? reduction_by_members<simt::Least, std::int32_t>
                     : reduction_by_members<simt::Least, std::uint32_t>;
  if (operation != "max") return nullptr;
  return with_sign ? reduction_by_members<simt::Greatest, std::int32_t>
                   : reduction_by_members<simt::Greatest, std::uint32_t>;
}

void decode_reduction(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("sync")) decoder.unsupported("redux without .sync");
  const std::string_view operation = decoder.take_next();
  const Type type = decoder.take_type();
  instruction.flow = Flow::warp_wide;
  instruction.execute = reduction(operation, type);
  if (instruction.execute == nullptr) {
    decoder.unsupported("." + std::string(operation) + " of ." + std::string(name_of(type)));
  }
  instruction.b = decoder.read(1, type);
  instruction.a = decoder.read(2, Type::b32);
  instruction.d = decoder.write(0, type);
}

void active_mask(Warp& warp, const Instruction& i) {
  set_all(warp, i.d, warp.exec);
}
void decode_active_mask(Decoder& decoder, Instruction& instruction) {
  if (decoder.take_type() != Type::b32) decoder.unsupported("a type that is not .b32");
  instruction.execute = active_mask;
  instruction.d = decoder.write(0, Type::b32);
}

// The lowest member is the one.
void elect(Warp& warp, const Instruction& i) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
  set_all(warp, i.d, leader);
  warp.set_mask(warp.operands(i)[0], LaneMask{1} << leader);
}
void decode_elect(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("sync")) decoder.unsupported("elect without .sync");
  const OperandSyntax& result = decoder.take_operand(0);
  if (result.kind != OperandSyntax::Kind::pair) decoder.unsupported("no pair d|p for its result");
  instruction.flow = Flow::warp_wide;
  instruction.execute = elect;
  instruction.a = decoder.read(1, Type::b32);
  instruction.d = decoder.write(result.elements.at(0), Type::b32);
  const Slot predicate = decoder.write_predicate(result.elements.at(1));
  decoder.more_operands(instruction, std::span(&predicate, 1));
}

constexpr Opcode opcodes[] = {
    {"shfl", decode_shuffle, Pipe::lsu, DataUse::shuffle},
    {"vote", decode_vote, Pipe::alu, DataUse::no_number},
    {"match", decode_match, Pipe::other},
    {"redux", decode_reduction, Pipe::other},
    {"activemask", decode_active_mask, Pipe::alu},
    {"elect", decode_elect, Pipe::alu, DataUse::no_number},
};

}  // namespace

std::span<const Opcode> warp_wide_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
