#include "profiler/sass/instructions/families.hpp"
#include "profiler/sass/instructions/integer_family.hpp"

namespace tilescope::sass {
namespace {

using simt::Pipe;

constexpr Opcode opcodes[] = {
    {"IADD3", decode_add3, Pipe::alu},
    {"UIADD3", decode_add3, Pipe::uniform},
    {"VIADD", decode_vector_add, Pipe::fma},
    {"IABS", decode_absolute, Pipe::alu},
    {"VABSDIFF", decode_difference, Pipe::alu},
    {"VABSDIFF4", decode_difference, Pipe::alu},
    {"IMAD", decode_multiply_add, Pipe::fma},
    {"UIMAD", decode_multiply_add, Pipe::uniform},
    {"IDP", decode_dot_product, Pipe::fma},
    {"IMNMX", decode_minmax, Pipe::alu},
    {"VIMNMX", decode_minmax, Pipe::alu},
    {"VIMNMX3", decode_minmax3, Pipe::alu},
    {"VIADDMNMX", decode_add_minmax, Pipe::alu},
    {"ISETP", decode_compare, Pipe::alu},
    {"UISETP", decode_compare, Pipe::uniform},
    {"LEA", decode_scaled_add, Pipe::alu},
    {"ULEA", decode_scaled_add, Pipe::uniform},
    {"SHF", decode_funnel_shift, Pipe::alu},
    {"USHF", decode_funnel_shift, Pipe::uniform},
};

}  // namespace

std::span<const Opcode> integer_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
