#pragma once

#include <string>
#include <string_view>

namespace tilescope::ptx {

/// The short name of a mangled C++ function (Itanium C++ ABI): with its classes and namespaces, without template
/// arguments, parameters and result: "_ZN10SharedTileILi8EE5indexEii" -> "SharedTile::index". A name that is not
/// mangled, or that is not supported, is returned unchanged. At most 120 characters.
std::string short_function_name(std::string_view mangled);

/// A demangled name as a source writes it: "k(float*)" of "(anonymous namespace)::k(float*)". Then the first parenthesis
/// begins the parameters.
std::string without_unnamed_namespaces(std::string demangled);

}  // namespace tilescope::ptx
