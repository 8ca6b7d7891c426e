#pragma once

#include <string>
#include <string_view>

namespace tilescope::ptx {

/// The name of a mangled C++ function as a reader looks for it: with its classes and namespaces, without template
/// arguments, parameters and result: "_ZN10SharedTileILi8EE5indexEii" -> "SharedTile::index". A name that is not mangled
/// is given as it is; so is, cut to 120 characters, one that cannot be read.
std::string short_function_name(std::string_view mangled);

}  // namespace tilescope::ptx
