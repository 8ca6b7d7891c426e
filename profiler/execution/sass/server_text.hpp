#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/sass/cubin.hpp"

namespace tilescope::sass {

/// The only section of code of a binary, where a server can disassemble it: nothing in it is relocated.
const CubinFunction* served_function(const Cubin& cubin);

/// What `nvdisasm -c -gi -gp` prints of a binary, made of what `nvdisasm --binary` prints of its code: labels in the
/// place of addresses, and the lines of the source and of the PTX. What nothing here depends on is missing: remarks, and
/// labels to which no instruction goes. Nothing where that cannot be said: the code has jump tables, or line tables of
/// another form.
std::optional<std::string> text_of_served(std::span<const char> file, const Cubin& cubin,
                                          const CubinFunction& function, std::string_view printed);

}  // namespace tilescope::sass
