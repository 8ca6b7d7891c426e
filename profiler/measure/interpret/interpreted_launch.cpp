#include "profiler/measure/interpret/interpreted_launch.hpp"

#include <cstring>
#include <string>

namespace tilescope {
namespace {

std::string describe(const ArgumentDeclaration& argument) {
  return argument.value.empty() ? argument.type : argument.type + " '" + argument.value + "'";
}

}  // namespace

std::vector<std::byte> parameter_bytes(const simt::Program& program, const KernelDeclaration& kernel,
                                       const std::vector<std::vector<std::byte>>& arguments) {
  if (arguments.size() != program.parameters.size()) {
    throw ArgumentMismatch("the declaration lists " + std::to_string(arguments.size()) + " argument(s), " +
                           kernel.entry + " takes " + std::to_string(program.parameters.size()) +
                           ": declare those of its signature, in their order");
  }
  std::vector<std::byte> bytes(program.parameter_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const simt::KernelParameter& parameter = program.parameters[i];
    if (arguments[i].size() != parameter.bytes) {
      throw ArgumentMismatch("argument " + std::to_string(i) + ", " + describe(kernel.arguments[i]) +
                             ", has " + std::to_string(arguments[i].size()) + " B in the declaration and " +
                             std::to_string(parameter.bytes) + " B in the code of " + kernel.entry +
                             ": declare the type that its signature has");
    }
    std::memcpy(bytes.data() + parameter.offset, arguments[i].data(), arguments[i].size());
  }
  return bytes;
}

}  // namespace tilescope
