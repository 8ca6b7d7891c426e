#pragma once

#include <span>
#include <string>

namespace tilescope::sass {

/// The PTX that a cubin was made from, which it carries where it was compiled with line information (-lineinfo): in the
/// lines that Origin::ptx_line counts, without its .loc. "" where it has none. Throws CubinError.
std::string embedded_ptx(std::span<const char> cubin);

}  // namespace tilescope::sass
