#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// Throws CubinError for a file whose variables take more memory than the interpreter gives them. nvdisasm may fill a
/// machine's memory on such a file.
void check_variable_bytes(const Cubin& cubin);

/// Gives a program the module's memory as the driver loads it: variables in global memory, and the constant banks that
/// `kernel` sees, with the addresses that relocations put into them. `code` has the address of each function and label.
/// Throws CubinError for a relocation that is not known.
std::map<std::string, std::uint64_t, std::less<>> add_module_data(
    const Cubin& cubin, std::string_view kernel,
    const std::map<std::string, std::uint32_t, std::less<>>& code, simt::Program& program);

}  // namespace tilescope::sass
