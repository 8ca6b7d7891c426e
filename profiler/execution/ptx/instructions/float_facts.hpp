#pragma once

#include <span>
#include <string_view>

#include "profiler/execution/ptx/decoder.hpp"

/// The floating-point numbers that the instructions of a family compute, from their words.
namespace tilescope::ptx {

/// Numbers of the last type that an instruction names: "fma.rn.f32".
simt::FloatFacts arithmetic_floats(std::span<const std::string_view> words);
/// "cvt.f16.f32"
simt::FloatFacts conversion_floats(std::span<const std::string_view> words);
simt::FloatFacts mma_floats(std::span<const std::string_view> words);
simt::FloatFacts wmma_floats(std::span<const std::string_view> words);

/// Numbers that the opcode's row reads, and the bytes of a moved one.
simt::FloatFacts float_facts(const Opcode& opcode, std::span<const std::string_view> words);

}  // namespace tilescope::ptx
