#include <array>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/logic_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/logic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/bit_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

// The compiler folds the table.
template <int table>
struct FixedTable {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return TruthTable(table)(a, b, c);
  }
};
void any_table(Warp& warp, const Instruction& i) {
  for_lanes(warp.exec, warp.write<std::uint32_t>(i.d), TruthTable(i.immediate), warp.read<std::uint32_t>(i.a),
            warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}

struct FixedTableHandler {
  int table;
  Handler handler;
};
// Nearly all that compilers emit.
constexpr FixedTableHandler fixed_tables[] = {
    {0xc0, ternary<FixedTable<0xc0>, std::uint32_t>}, {0x3c, ternary<FixedTable<0x3c>, std::uint32_t>},
    {0xfc, ternary<FixedTable<0xfc>, std::uint32_t>}, {0x78, ternary<FixedTable<0x78>, std::uint32_t>},
    {0x33, ternary<FixedTable<0x33>, std::uint32_t>}, {0xf8, ternary<FixedTable<0xf8>, std::uint32_t>},
    {0x48, ternary<FixedTable<0x48>, std::uint32_t>}, {0xc8, ternary<FixedTable<0xc8>, std::uint32_t>},
    {0xe2, ternary<FixedTable<0xe2>, std::uint32_t>}, {0xfe, ternary<FixedTable<0xfe>, std::uint32_t>},
    {0xf6, ternary<FixedTable<0xf6>, std::uint32_t>}, {0x96, ternary<FixedTable<0x96>, std::uint32_t>},
};
Handler handler_of_table(int table) {
  for (const FixedTableHandler& fixed : fixed_tables) {
    if (fixed.table == table) return fixed.handler;
  }
  return any_table;
}

// Also p = (d != 0) | q, or with .PAND (d != 0) & q: p and q are the further operands, `flags` is 1 for .PAND and has 2
// where q is negated.
void table_with_predicate(Warp& warp, const Instruction& i) {
  alignas(64) std::uint32_t result[lane_count];
  for_lanes(all_lanes, result, TruthTable(i.immediate), warp.read<std::uint32_t>(i.a),
            warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
  const std::uint32_t* value = result;
  const Slot* further = warp.operands(i);
  const LaneMask set = mask_of_lanes([](std::uint32_t bits) { return bits != 0; }, value);
  const LaneMask q = warp.mask(further[1]) ^ ((i.flags & 2) != 0 ? all_lanes : 0);
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t bits) { return bits; }, value);
  warp.set_mask(further[0], (i.flags & 1) != 0 ? set & q : set | q);
}
Handler TableHandler(int table, bool with_predicate) {
  return with_predicate ? table_with_predicate : handler_of_table(table);
}

// A predicate, or the sign of a register.
HWY_INLINE LaneMask mask_of(const Warp& warp, const Instruction& i, int source, Slot slot) {
  const LaneMask flip = (i.flags >> source & 1) != 0 ? all_lanes : 0;
  if ((i.width >> source & 1) == 0) return warp.mask(slot) ^ flip;
  return flip ^ mask_of_lanes([](std::int32_t value) { return value < 0; }, warp.read<std::int32_t>(slot));
}
// Two tables, in bits 0 to 7 and 8 to 15 of the immediate, whose second result is the first further operand. `flags` has
// a bit for each negated source, `width` one for each that is a register.
void tables_of_predicates(Warp& warp, const Instruction& i) {
  const LaneMask a = mask_of(warp, i, 0, i.a), b = mask_of(warp, i, 1, i.b), c = mask_of(warp, i, 2, i.c);
  warp.set_mask(warp.operands(i)[0], TruthTable(i.immediate >> 8)(a, b, c));
  warp.set_mask(i.d, TruthTable(i.immediate & 0xff)(a, b, c));
}
Handler PredicateTableHandler() {
  return tables_of_predicates;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(TableHandler);
HWY_EXPORT(PredicateTableHandler);

// Bit 4a + 2b + c is the result for those bits, as for lop3 of PTX.
int take_table(Decoder& decoder, std::size_t index) {
  const std::int64_t table = decoder.integer(index);
  if (table < 0 || table > 0xff) decoder.unsupported("a table of more than 8 bits");
  return static_cast<int>(table);
}

// LOP3.LUT [p,] d, a, b, c, table, q
void decode_table(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("LUT")) decoder.unsupported("it has no table");
  const bool with_and = decoder.take("PAND");
  const bool with_predicate = is_predicate_operand(decoder, 0);
  const std::size_t at = with_predicate ? 1 : 0;
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(at);
  instruction.a = decoder.plain(at + 1);
  instruction.b = decoder.plain(at + 2);
  instruction.c = decoder.plain(at + 3);
  const int table = take_table(decoder, at + 4);
  instruction.immediate = table;
  instruction.execute = HWY_DYNAMIC_DISPATCH(TableHandler)(table, with_predicate);
  const Decoder::Predicate q = decoder.predicate(at + 5);
  if (!with_predicate) return;
  instruction.flags = static_cast<std::uint8_t>((with_and ? 1 : 0) | (q.is_negated ? 2 : 0));
  decoder.more_operands(instruction, std::array{decoder.write_predicate(0), q.slot});
}

// PLOP3.LUT p, q, a, b, c, table, table
void decode_predicate_tables(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("LUT")) decoder.unsupported("it has no table");
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(PredicateTableHandler)();
  instruction.d = decoder.write_predicate(0);
  simt::Slot* sources[] = {&instruction.a, &instruction.b, &instruction.c};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint8_t bit = static_cast<std::uint8_t>(1u << k);
    if (is_predicate_operand(decoder, 2 + k)) {
      const Decoder::Predicate predicate = decoder.predicate(2 + k);
      *sources[k] = predicate.slot;
      if (predicate.is_negated) instruction.flags |= bit;
      continue;
    }
    const Decoder::Source source = decoder.source(2 + k);
    if (source.selector != "SIGN" || source.is_negated || source.is_absolute || source.is_inverted) {
      decoder.unsupported("a source that is neither a predicate nor the sign of a register");
    }
    *sources[k] = source.slot;
    instruction.width |= bit;
  }
  instruction.immediate = take_table(decoder, 5);
  instruction.immediate |= std::int64_t{take_table(decoder, 6)} << 8;
  decoder.more_operands(instruction, std::array{decoder.write_predicate(1)});
}

using simt::Pipe;

constexpr Opcode opcodes[] = {
    {"LOP3", decode_table, Pipe::alu, HardwarePipe::alu},
    {"ULOP3", decode_table, Pipe::uniform, HardwarePipe::uniform},
    Opcode{"PLOP3", decode_predicate_tables, Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    Opcode{"UPLOP3", decode_predicate_tables, Pipe::uniform, HardwarePipe::uniform}.uses(
        simt::DataUse::no_number),
    {"PRMT", decode_permute, Pipe::alu, HardwarePipe::alu},
    {"UPRMT", decode_permute, Pipe::uniform, HardwarePipe::uniform},
    {"SGXT", decode_sign_extend, Pipe::alu, HardwarePipe::alu},
    {"USGXT", decode_sign_extend, Pipe::uniform, HardwarePipe::uniform},
    {"BMSK", decode_bit_mask, Pipe::alu, HardwarePipe::alu},
    {"UBMSK", decode_bit_mask, Pipe::uniform, HardwarePipe::uniform},
    {"POPC", decode_bits, Pipe::convert, HardwarePipe::xu},
    {"UPOPC", decode_bits, Pipe::uniform, HardwarePipe::uniform},
    {"FLO", decode_bits, Pipe::convert, HardwarePipe::xu},
    {"UFLO", decode_bits, Pipe::uniform, HardwarePipe::uniform},
    {"BREV", decode_bits, Pipe::convert, HardwarePipe::xu},
    {"UBREV", decode_bits, Pipe::uniform, HardwarePipe::uniform},
};

}  // namespace

std::span<const Opcode> logic_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
