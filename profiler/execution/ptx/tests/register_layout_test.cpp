// Every form of every instruction against the layout of the register file: handlers get registers that lie far apart,
// with noise around them. They may write only the lanes of their results and depend only on their sources. Then each
// register is replaced by one of every other size: the decoder must reject it, or the handler must stay within it.
#include <gtest/gtest.h>

#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <set>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/register_file.hpp"
#include "profiler/execution/ptx/tests/instruction_forms.hpp"
#include "profiler/execution/simt/block.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::size_t slots_apart = 16;  // the widest register has 8
constexpr std::size_t memory_bytes = 4096, local_bytes = 64;
constexpr LaneMask some_lanes = 0x30ff0f35;

using Bytes = std::vector<std::byte>;

void fill_with_noise(std::span<std::byte> bytes, std::uint32_t seed) {
  std::uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
}

class Forgiving : public Observer {
 public:
  bool fault(const Fault& fault) override {
    last = fault.text;
    return true;
  }
  std::string last;
};

// One instruction with its registers placed.
struct Decoded {
  Module module;
  Program program;
  RegisterUse use;
  std::vector<std::uint8_t> lane_bytes;
  std::vector<std::string_view> names;  // by virtual register; "" of a scratch register
};

Slot placed(Slot slot) {
  return slot < 0 ? slot : static_cast<Slot>((static_cast<std::size_t>(slot) + 1) * slots_apart);
}

Decoded decode_form(const std::string& form) {
  Decoded result;
  result.module = parse(
      ".version 8.6\n.target sm_90\n.address_size 64\n.func FUNCTION()\n{\nret;\n}\n.visible .entry "
      "test()\n{\n"
      ".reg .b8 %b<9>; .reg .b16 %h<9>; .reg .b32 %r<48>; .reg .b64 %d<9>; .reg .b128 %q<9>; .reg .pred "
      "%p<9>;\n"
      ".reg .b64 %global, %shared64, %generic; .reg .b32 %shared, %local;\nLABEL: " +
      form + ";\nTABLE: .branchtargets LABEL;\n}\n");
  const Function& function = result.module.functions.at(1);
  const InstructionSyntax& syntax = function.body.at(0);
  const CallGraph graph = call_graph(result.module, 1);
  Decoder::Registers registers(result.module, graph);
  Decoder decoder(result.module, function, syntax, registers);
  const Opcode* opcode = find_opcode(syntax.words.at(0));
  if (opcode == nullptr) decoder.unsupported("the instruction is not known");
  Instruction instruction;
  opcode->decode(decoder, instruction);
  decoder.check_all_taken();
  registers.check_layout(instruction);
  result.use = registers.take_use();
  result.lane_bytes = registers.lane_bytes;
  result.names.assign(result.lane_bytes.size(), "");
  for (std::uint32_t k = 0; k < function.registers.size(); ++k) {
    const auto used = static_cast<std::size_t>(registers.of(k));
    if (used < result.names.size()) result.names[used] = function.registers[k].name;
  }
  for (Slot* slot : {&instruction.d, &instruction.a, &instruction.b, &instruction.c}) *slot = placed(*slot);
  for (const Slot slot : registers.operands) result.program.operands.push_back(placed(slot));
  result.program.code = {instruction};
  result.program.constants = registers.constant_pool();
  result.program.origins.emplace_back();
  result.program.local_bytes = local_bytes;
  return result;
}

// The state around one instruction: noise that depends on `seed`; sources and memory do not.
class Machine {
 public:
  Machine(const Decoded& decoded, std::uint32_t seed) : decoded_(decoded) {
    registers.resize((decoded.lane_bytes.size() + 2) * slots_apart * slot_bytes);
    constants_.resize(decoded.program.constants.size() + 4096);
    shared_.resize(memory_bytes + 64);
    local_.resize(std::size_t{lane_count} * decoded.program.local_bytes);
    memory.resize(memory_bytes);
    fill_with_noise(registers, seed);
    fill_with_noise(constants_, seed + 1);
    std::ranges::copy(decoded.program.constants, constants_.begin());
    fill_with_noise(shared_, 11);
    fill_with_noise(local_, 12);
    fill_with_noise(memory, 13);
    const std::uint64_t address = global_.attach("memory", memory.data(), memory.size(), false);
    for (const std::uint32_t v : decoded.use.reads) {
      const std::span<std::byte> lanes = lanes_of(v);
      fill_with_noise(lanes, 100 + v);
      set_address(lanes, decoded.names[v], address);
    }
    block_.program = &decoded.program;
    block_.launch = &launch_;
    block_.global = &global_;
    block_.observer = &observer;
    block_.shared = {shared_.data(), memory_bytes};
    block_.local = local_;
  }

  void run(LaneMask exec) {
    before = registers;
    Warp warp(block_, 0, all_lanes, registers.data(), constants_.data() + decoded_.program.constants.size());
    warp.exec = exec;
    warp.carry = 0x12345678;
    const Instruction& instruction = decoded_.program.code[0];
    instruction.execute(warp, instruction);
  }

  std::span<std::byte> lanes_of(std::uint32_t v) {
    const std::size_t bytes = decoded_.lane_bytes[v];
    return std::span(registers).subspan((v + 1) * slots_apart * slot_bytes,
                                        bytes == 0 ? 4 : bytes * lane_count);
  }

  // The registers with every lane that may have changed as it was before.
  Bytes without_results(LaneMask exec) {
    Bytes rest = registers;
    for (const std::uint32_t v : decoded_.use.writes) {
      const std::size_t first = (v + 1) * slots_apart * slot_bytes, bytes = decoded_.lane_bytes[v];
      for (std::size_t lane = 0; bytes != 0 && lane < lane_count; ++lane) {
        if ((exec >> lane & 1u) != 0)
          std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(first + lane * bytes), bytes,
                      rest.begin() + static_cast<std::ptrdiff_t>(first + lane * bytes));
      }
      if (bytes != 0) continue;
      LaneMask old = 0, now = 0;
      std::memcpy(&old, before.data() + first, sizeof old);
      std::memcpy(&now, rest.data() + first, sizeof now);
      now = (now & ~exec) | (old & exec);
      std::memcpy(rest.data() + first, &now, sizeof now);
    }
    return rest;
  }

  // The lanes of the results.
  Bytes results(LaneMask exec) {
    Bytes all;
    for (const std::uint32_t v : decoded_.use.writes) {
      const std::span<std::byte> lanes = lanes_of(v);
      const std::size_t bytes = decoded_.lane_bytes[v];
      for (std::size_t lane = 0; bytes != 0 && lane < lane_count; ++lane) {
        if ((exec >> lane & 1u) != 0)
          all.insert(all.end(), lanes.begin() + static_cast<std::ptrdiff_t>(lane * bytes),
                     lanes.begin() + static_cast<std::ptrdiff_t>((lane + 1) * bytes));
      }
      if (bytes != 0) continue;
      LaneMask mask = 0;
      std::memcpy(&mask, lanes.data(), sizeof mask);
      mask &= exec;
      const auto* first = reinterpret_cast<const std::byte*>(&mask);
      all.insert(all.end(), first, first + sizeof mask);
    }
    return all;
  }
  Bytes all_memory() const {
    Bytes all = memory;
    all.insert(all.end(), shared_.begin(), shared_.end());
    all.insert(all.end(), local_.begin(), local_.end());
    return all;
  }

  Bytes registers, before, memory;
  Forgiving observer;

 private:
  static void set_address(std::span<std::byte> lanes, std::string_view name, std::uint64_t global) {
    const bool is_long = name == "%global" || name == "%shared64" || name == "%generic";
    if (!is_long && name != "%shared" && name != "%local") return;
    const std::size_t bytes = is_long ? 8 : 4;
    const std::uint64_t base = name == "%global" || name == "%generic" ? global : 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      const std::uint64_t address = base + (name == "%local" ? 8 * (lane % 5) : 32 * lane);
      std::memcpy(lanes.data() + lane * bytes, &address, bytes);
    }
  }

  const Decoded& decoded_;
  Bytes constants_, shared_, local_;
  GlobalMemory global_;
  Launch launch_;
  Block block_;
};

// Faults are ignored for forms that need more state, such as an initialised mbarrier.
bool may_fault(const std::string& form) {
  return form.find("mbarrier") != std::string::npos;
}

void check_layout(const std::string& form, const Decoded& decoded) {
  const Instruction& instruction = decoded.program.code[0];
  const bool is_executed = instruction.flow == Flow::next || instruction.flow == Flow::warp_wide;
  if (!is_executed) return;
  ASSERT_NE(instruction.execute, nullptr) << form;
  for (const LaneMask exec : {all_lanes, some_lanes}) {
    Machine one(decoded, 1), other(decoded, 2);
    one.run(exec);
    other.run(exec);
    ASSERT_TRUE(may_fault(form) || one.observer.last.empty()) << form << ": " << one.observer.last;
    ASSERT_TRUE(one.without_results(exec) == one.before) << form << " writes what is not its result";
    ASSERT_TRUE(other.without_results(exec) == other.before) << form << " writes what is not its result";
    ASSERT_TRUE(one.results(exec) == other.results(exec)) << form << " reads what is not its source";
    ASSERT_TRUE(one.all_memory() == other.all_memory()) << form << " stores what is not its source";
  }
}

std::vector<std::int64_t> vector_targets() {
  std::vector<std::int64_t> targets = {0};
  if ((hwy::SupportedTargets() & HWY_AVX2) != 0) targets.push_back(HWY_AVX2);
  return targets;
}

TEST(RegisterLayout, EveryFormKeepsToItsRegisters) {
  std::set<std::string> opcodes;
  for (const std::int64_t target : vector_targets()) {
    hwy::GetChosenTarget().Update(target);
    for (const std::string& form : instruction_forms()) {
      ASSERT_NO_THROW({
        const Decoded decoded = decode_form(form);
        check_layout(form, decoded);
      }) << form;
      if (HasFatalFailure()) return;
      opcodes.insert(form.substr(0, form.find_first_of(". ")));
    }
  }
  for (const auto family : {integer_opcodes(), floating_opcodes(), bit_opcodes(), convert_opcodes(),
                            compare_opcodes(), move_opcodes(), warp_wide_opcodes(), control_opcodes(),
                            call_opcodes(), load_store_opcodes(), atomic_opcodes(), async_copy_opcodes(),
                            mbarrier_opcodes(), matrix_load_opcodes(), mma_opcodes(), wmma_opcodes()}) {
    for (const Opcode& opcode : family) {
      EXPECT_TRUE(opcodes.contains(std::string(opcode.name)))
          << "no form of '" << opcode.name << "' is tried";
    }
  }
}

TEST(RegisterLayout, ARegisterOfAnotherSizeIsRefusedOrKeptTo) {
  const std::vector<std::string> replacements = {"%b8", "%h8", "%r47", "%d8", "%q8", "%p8"};
  std::size_t refused = 0, kept = 0;
  for (const std::string& form : instruction_forms()) {
    for (std::size_t at = form.find('%'); at != std::string::npos; at = form.find('%', at + 1)) {
      const std::size_t end = form.find_first_of(" ,;]}|+)", at);
      // Not an address, whose size depends on the state space, and not a special register.
      if (std::string_view("bhrdqp").find(form[at + 1]) == std::string_view::npos ||
          std::isdigit(form[at + 2]) == 0)
        continue;
      for (const std::string& replacement : replacements) {
        if (form[at + 1] == replacement[1]) continue;
        std::string other = form;
        other.replace(at, end == std::string::npos ? end : end - at, replacement);
        std::optional<Decoded> decoded;
        try {
          decoded.emplace(decode_form(other));
        } catch (const PtxError&) {
          ++refused;
          continue;
        }
        ++kept;
        check_layout(other, *decoded);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(kept, 50u);
}

// The handlers' slots are checked when an instruction is decoded.
TEST(RegisterLayout, ASlotThatNoOperandGaveIsFound) {
  const Module module = parse(
      ".version 8.0\n.target sm_89\n.address_size 64\n.visible .entry test()\n{\n.reg .b32 %r<3>;\n"
      "add.u32 %r0, %r1, %r2;\n}\n");
  const Function& function = module.functions.at(0);
  const CallGraph graph = call_graph(module, 0);
  Decoder::Registers registers(module, graph);
  Decoder decoder(module, function, function.body.at(0), registers);
  Instruction instruction;
  find_opcode("add")->decode(decoder, instruction);
  EXPECT_NO_THROW(registers.check_layout(instruction));
  instruction.c = registers.fresh(8);
  EXPECT_THROW(registers.check_layout(instruction), std::logic_error);
}

}  // namespace
}  // namespace tilescope::ptx
