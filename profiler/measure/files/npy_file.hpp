#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/measure/files/element.hpp"

namespace tilescope {

/// An array as numpy.save() writes it, in C order. `contents`: its elements, as many as the shape has. NumPy has no type
/// for bf16: its values are written as float32.
std::string npy_file(const Element& element, const std::vector<std::uint64_t>& shape,
                     std::string_view contents);

}  // namespace tilescope
