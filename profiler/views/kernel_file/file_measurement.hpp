#pragma once

#include <map>
#include <string>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A kernel of a file as a point to be compared. Its kernel is `file`, with the name of the entry where the file has
/// several; its parameters are the constants of the source and all values that were chosen, by name.
Measurement file_measurement(const OpenedPoint& point, const std::string& file,
                             const std::map<std::string, std::string>& chosen);

/// "gemm" of "void gemm<16>(float*, int)": without arguments of its template, which constants give.
std::string short_kernel_name(const std::string& demangled);

}  // namespace tilescope
