#pragma once

#include <cstdint>

#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/lanes/comparison.hpp"

namespace tilescope::ptx {

/// Consumes the comparison's name; unsupported when the type does not have it.
Comparison take_comparison(Decoder& decoder, Type type);

/// setp of f16, bf16 and their packed types, and set of any type, are rarer and read their instruction when they run
/// (slow_compare.cpp): Instruction::type is the type of the sources, `count` the base comparison, `immediate` the value
/// for true in a lane of set, and `width` is 1 for .ftz.
Handler slow_setp();
/// Chooses the handler of set and writes its result.
void decode_set_result(Decoder& decoder, Instruction& instruction, Type result, Type source);
void decode_select(Decoder& decoder, Instruction& instruction);          // selp (select.cpp)
void decode_select_by_sign(Decoder& decoder, Instruction& instruction);  // slct

}  // namespace tilescope::ptx
