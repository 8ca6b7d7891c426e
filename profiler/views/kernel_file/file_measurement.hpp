#pragma once

#include <map>
#include <string>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A kernel of a file as a point to be compared. Its kernel is `file`, with the name of the entry where the file has
/// several; its parameters are the constants of the source and all values that were chosen, by name.
Measurement file_measurement(const OpenedPoint& point, const std::string& file,
                             const std::map<std::string, std::string>& chosen);

/// Whether two points of files are one: the same kernel with equal values, which showed the same. One of them may name a
/// value that was guessed for the other.
bool is_same_point_of_file(const Measurement& a, const Measurement& b);

/// "gemm" of "void gemm<16>(float*, int)": without arguments of its template, which constants give.
std::string short_kernel_name(const std::string& demangled);

}  // namespace tilescope
