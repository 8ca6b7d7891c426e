#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The name as C++ writes it: "_Z4fillIfEvPT_S0_" -> "void fill<float>(float*, float)". A name that is not mangled is
/// returned unchanged.
std::string demangled_symbol(const std::string& name);

/// Names that a user means by `wanted`: that name itself, or else the ones whose C++ form is `wanted`, or else the ones of
/// that function or variable whatever its namespace, template arguments and parameters are, or else the ones that
/// contain it. Spaces do not count.
std::vector<std::string> symbols_named(const std::vector<std::string>& names, std::string_view wanted);

/// "fill<float>(float*, float), fill<int>(int*, int)": C++ forms of the first few, and the number of the others.
std::string symbol_list(const std::vector<std::string>& names);

}  // namespace tilescope
