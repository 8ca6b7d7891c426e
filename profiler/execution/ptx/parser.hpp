#pragma once

#include <string>

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// Parses PTX of ISA 3.0 to 9.x for sm_30 and newer. Any text may be given: text that is not PTX throws PtxError with
/// its place, and PTX that is not supported (textures, 32-bit addresses, unknown targets) throws Unsupported. Time and
/// memory are linear in the text, and the nesting of scopes, vectors, constant expressions and inlined places is
/// bounded.
Module parse(std::string text);

}  // namespace tilescope::ptx
