#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/device_calls.hpp"
#include "profiler/execution/simt/warp.hpp"

// Calls of functions by their name. CallStack carries them out.
namespace tilescope::ptx {
namespace {

using Kind = OperandSyntax::Kind;
// The three parts of "call (results), function, (arguments)".
struct CallSyntax {
  std::vector<OperandSyntax> results, arguments;
  const OperandSyntax* function = nullptr;
};

CallSyntax take_call(Decoder& decoder) {
  CallSyntax call;
  const auto is_list = [&](std::size_t index) {
    return index < decoder.operand_count() && decoder.operand(index).kind == Kind::vector;
  };
  std::size_t next = 0;
  if (is_list(next)) call.results = decoder.take_operand(next++).elements;
  call.function = &decoder.take_operand(next++);
  if (call.function->kind != Kind::function || call.function->index == no_index) {
    decoder.unsupported("an indirect call; a function is only called by its name here");
  }
  if (is_list(next)) call.arguments = decoder.take_operand(next++).elements;
  return call;
}

std::string name_of(const Function& function) {
  return fmt::format("'{}'", function.name);
}

// Pairs the arguments of a call with a function's parameters, or its results with the call's.
class CallCopies {
 public:
  CallCopies(Decoder& decoder, const Function& callee, std::uint32_t called, bool are_results)
      : decoder_(decoder), callee_(callee), called_(called), are_results_(are_results) {}

  std::vector<CallCopy> pair(const std::vector<OperandSyntax>& given) {
    const std::vector<Parameter>& formal = are_results_ ? callee_.results : callee_.parameters;
    if (given.size() != formal.size()) {
      decoder_.unsupported("it has " + std::to_string(given.size()) +
                           (are_results_ ? " results, " : " arguments, ") + name_of(callee_) +
                           (are_results_ ? " returns " : " takes ") + std::to_string(formal.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].kind == Kind::sink) continue;
      if (formal[i].registers.empty()) {
        add_frame(given[i], formal[i], i);
      } else {
        add_registers(given[i], formal[i]);
      }
    }
    return std::move(copies_);
  }

 private:
  void add(CallCopy::Place given, CallCopy::Place formal, int bytes) {
    if (are_results_) std::swap(given, formal);
    copies_.push_back({given, formal, static_cast<std::uint32_t>(bytes)});
  }

  Slot given_register(const OperandSyntax& given, Type type) {
    if (size_of(type) == 1) decoder_.unsupported("a register of 8 bits as a parameter");
    if (type == Type::pred) {
      if (are_results_) return decoder_.write_predicate(given);
      const Decoder::Predicate predicate = decoder_.read_predicate(given);
      if (predicate.negated) decoder_.unsupported("a negated predicate as an argument");
      return predicate.slot;
    }
    return are_results_ ? decoder_.write(given, type) : decoder_.read(given, type);
  }

  void add_registers(const OperandSyntax& given, const Parameter& formal) {
    const std::vector<OperandSyntax> single = {given};
    const std::vector<OperandSyntax>& elements = given.kind == Kind::vector ? given.elements : single;
    if (elements.size() != formal.registers.size()) decoder_.unsupported(mismatch(given, formal));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const Slot slot = given_register(elements[e], formal.type);
      add({slot, 0}, {decoder_.parameter_register(called_, formal.registers[e]), 0}, size_of(formal.type));
    }
  }

  void add_frame(const OperandSyntax& given, const Parameter& formal, std::size_t index) {
    const CallCopy::Place place = {
        no_slot, decoder_.parameter_offset(called_, index + (are_results_ ? callee_.parameters.size() : 0))};
    if (given.kind != Kind::variable) {
      if (formal.bytes != static_cast<std::uint64_t>(size_of(formal.type)))
        decoder_.unsupported(mismatch(given, formal));
      return add({given_register(given, formal.type), 0}, place, size_of(formal.type));
    }
    const std::uint64_t bytes = bytes_of(given);
    if (bytes != formal.bytes) decoder_.unsupported(mismatch(given, formal));
    add({no_slot, static_cast<std::uint32_t>(decoder_.address_of(given))}, place, static_cast<int>(bytes));
  }

  // The frame offset of a parameter variable of the caller; 0 for any other operand.
  std::uint64_t bytes_of(const OperandSyntax& variable) const {
    const Function& caller = decoder_.function();
    if (variable.is_parameter) {
      if (caller.is_entry) return 0;
      const std::size_t parameters = caller.parameters.size();
      return variable.index < parameters ? caller.parameters[variable.index].bytes
                                         : caller.results[variable.index - parameters].bytes;
    }
    if (!variable.is_local || caller.variables[variable.index].space != Space::param) return 0;
    return caller.variables[variable.index].bytes;
  }

  std::string mismatch(const OperandSyntax& given, const Parameter& formal) const {
    return fmt::format("'{}' does not fit '{}' of {}", given.name, formal.name, name_of(callee_));
  }

  Decoder& decoder_;
  const Function& callee_;
  std::uint32_t called_;
  bool are_results_;
  std::vector<CallCopy> copies_;
};

std::byte* local_memory(const Warp& warp, Slot address, int lane) {
  const Block& block = warp.block();
  const std::size_t thread = warp.first_thread() + static_cast<std::uint32_t>(lane);
  return block.local.data() + thread * block.program->local_bytes + warp.read<std::uint64_t>(address)[lane];
}

template <class Value>
Value parameter_of(const Warp& warp, Slot parameter, int lane) {
  Value value{};
  if (parameter != no_slot) std::memcpy(&value, local_memory(warp, parameter, lane), sizeof value);
  return value;
}

// `a` is the result's parameter; the operands are the arguments' parameters.
void print(Warp& warp, const Instruction& i) {
  const Slot* parameters = warp.operands(i);
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const std::int32_t result = simt::print(warp, i, static_cast<unsigned>(lane),
                                            parameter_of<std::uint64_t>(warp, parameters[0], lane),
                                            parameter_of<std::uint64_t>(warp, parameters[1], lane));
    if (i.a != no_slot) std::memcpy(local_memory(warp, i.a, lane), &result, sizeof result);
  }
}

void fail_assertion(Warp& warp, const Instruction& i) {
  const Slot* parameters = warp.operands(i);
  const int lane = first_lane(warp.exec);
  simt::fail_assertion(warp, i, static_cast<unsigned>(lane),
                       {.expression = parameter_of<std::uint64_t>(warp, parameters[0], lane),
                        .file = parameter_of<std::uint64_t>(warp, parameters[1], lane),
                        .function = parameter_of<std::uint64_t>(warp, parameters[3], lane),
                        .line = parameter_of<std::uint32_t>(warp, parameters[2], lane)});
}

// Functions of the CUDA runtime that kernels call and that have no body.
void decode_runtime_call(Decoder& decoder, Instruction& instruction, const CallSyntax& call,
                         const Function& callee) {
  const auto parameter = [&](const OperandSyntax& variable) {
    if (variable.kind != Kind::variable || !variable.is_local) decoder.unsupported("its parameters");
    return decoder.read(variable, Type::u64);
  };
  const auto take_arguments = [&](std::size_t count) {
    if (call.arguments.size() < count) decoder.unsupported("fewer arguments than the function has");
    std::vector<Slot> slots;
    slots.reserve(count);
    for (std::size_t i = 0; i < count; ++i) slots.push_back(parameter(call.arguments[i]));
    decoder.more_operands(instruction, slots);
  };
  if (callee.name == "vprintf") {
    instruction.execute = print;
    if (!call.results.empty()) instruction.a = parameter(call.results[0]);
    take_arguments(2);
    decoder.note_printf();
  } else if (callee.name == "__assertfail") {
    instruction.execute = fail_assertion;
    take_arguments(4);
  } else if (callee.name == "malloc" || callee.name == "free") {
    decoder.unsupported(
        "memory that a kernel allocates itself is not provided here; give it a buffer instead");
  } else {
    decoder.unsupported("the function " + name_of(callee) + " has no body in this PTX");
  }
}

void decode_call(Decoder& decoder, Instruction& instruction) {
  decoder.take("uni");  // a promise to the compiler, without meaning here
  const CallSyntax call = take_call(decoder);
  const Function& callee = decoder.module().functions[call.function->index];
  if (callee.is_entry) decoder.unsupported("a call of the kernel " + name_of(callee));
  if (!callee.has_body) return decode_runtime_call(decoder, instruction, call, callee);
  instruction.flow = Flow::call;
  CallSite site;
  site.callee = decoder.called_function(call.function->index);
  site.arguments = CallCopies(decoder, callee, site.callee, false).pair(call.arguments);
  site.results = CallCopies(decoder, callee, site.callee, true).pair(call.results);
  decoder.add_call(instruction, std::move(site));
}

constexpr Opcode opcodes[] = {{"call", decode_call, Pipe::control}};

}  // namespace

std::span<const Opcode> call_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
