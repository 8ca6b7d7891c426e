#pragma once

#include <string>

#include "profiler/ptx/syntax.hpp"

namespace tilescope::ptx {

/// Parses PTX of ISA 7.0 to 9.x, any text: what is not PTX throws PtxError with its place, what is PTX but not read
/// here (textures, 32-bit addresses, targets other than sm_80 to sm_90a) throws Unsupported. Time and memory are linear
/// in the text, and the nesting of scopes, vectors, constant expressions and inlined places is bounded.
Module parse(std::string text);

}  // namespace tilescope::ptx
