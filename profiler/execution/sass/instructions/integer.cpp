#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

namespace tilescope::sass {
namespace {

using simt::Pipe;

void read_product(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.takes_upper_half = parts.has("HI");
}

constexpr Opcode opcodes[] = {
    {"IADD3", decode_add3, Pipe::alu, HardwarePipe::alu},
    {"UIADD3", decode_add3, Pipe::uniform, HardwarePipe::uniform},
    {"VIADD", decode_vector_add, Pipe::fma, {HardwarePipe::fma, HardwarePipe::fma_heavy}},
    {"IABS", decode_absolute, Pipe::alu, HardwarePipe::alu},
    {"VABSDIFF", decode_difference, Pipe::alu, HardwarePipe::alu},
    {"VABSDIFF4", decode_difference, Pipe::alu, HardwarePipe::alu},
    {"IMAD",
     decode_multiply_add,
     Pipe::fma,
     {HardwarePipe::fma, HardwarePipe::fma_heavy},
     Effect::delayed_result,
     read_product},
    {"UIMAD", decode_multiply_add, Pipe::uniform, HardwarePipe::uniform},
    {"IDP", decode_dot_product, Pipe::fma, {HardwarePipe::fma, HardwarePipe::fma_heavy}},
    {"IMNMX", decode_minmax, Pipe::alu, HardwarePipe::alu},
    {"VIMNMX", decode_minmax, Pipe::alu, HardwarePipe::alu},
    {"VIMNMX3", decode_minmax3, Pipe::alu, HardwarePipe::alu},
    {"VIADDMNMX", decode_add_minmax, Pipe::alu, HardwarePipe::alu},
    Opcode{"ISETP", decode_compare, Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    Opcode{"UISETP", decode_compare, Pipe::uniform, HardwarePipe::uniform}.uses(simt::DataUse::no_number),
    {"LEA", decode_scaled_add, Pipe::alu, HardwarePipe::alu},
    {"ULEA", decode_scaled_add, Pipe::uniform, HardwarePipe::uniform},
    {"SHF", decode_funnel_shift, Pipe::alu, HardwarePipe::alu},
    {"USHF", decode_funnel_shift, Pipe::uniform, HardwarePipe::uniform},
};

}  // namespace

std::span<const Opcode> integer_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
