#pragma once

#include <string>
#include <string_view>

namespace tilescope::ptx {

/// The name of a mangled C++ function (Itanium C++ ABI) as a reader looks for it: with its classes and namespaces,
/// without template arguments, parameters and result: "_ZN10SharedTileILi8EE5indexEii" -> "SharedTile::index". A name
/// that is not mangled, or not in a way that is read here, is given as it is. At most 120 characters.
std::string short_function_name(std::string_view mangled);

}  // namespace tilescope::ptx
