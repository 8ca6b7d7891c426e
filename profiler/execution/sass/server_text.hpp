#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/sass/cubin.hpp"

namespace tilescope::sass {

/// The only section of code of a binary, where a server can disassemble it: nothing in it is relocated.
const CubinFunction* served_function(const Cubin& cubin);

/// Output of `nvdisasm -c -gi -gp` for a binary, made from the output of `nvdisasm --binary` for its code:
/// labels in the place of addresses, and the lines of the source and of the PTX. Remarks and unused labels,
/// which are not needed here, are missing. Nothing if it cannot be made: the code has jump tables, or line
/// tables of another form.
std::optional<std::string> text_of_served(std::span<const char> file, const Cubin& cubin,
                                          const CubinFunction& function, std::string_view printed);

}  // namespace tilescope::sass
