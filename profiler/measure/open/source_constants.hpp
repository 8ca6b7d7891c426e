#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

class CudaSource;

/// Constants of a file, `text`, that are whole numbers as written: "#define TILE 32", "constexpr int tile = 32;", and the
/// arguments of templates in launches, kernel<32><<<...>>>. What is computed from others is not among them: it follows
/// them.
std::vector<OpenedConstant> constants_of(const std::string& text, const CudaSource& source);

/// The text with chosen values in all places of its constants' own, line by line as before. `chosen`: by name; names of
/// anything else are left alone. Throws std::invalid_argument for a value that is not a whole number from 1, and
/// for a macro whose value cannot be replaced.
std::string with_constants(std::string text, const CudaSource& source,
                           const std::map<std::string, std::string>& chosen);

}  // namespace tilescope
