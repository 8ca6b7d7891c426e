#include "profiler/kernels/catalogue/kernel_macros.hpp"

#include <stdexcept>

namespace tilescope {
namespace {

// The value of one of shape_macros().
std::string shape_macro(const std::string& name, const Shape& shape) {
  if (name == "HEAD_DIM") return std::to_string(shape.D);
  if (name == "CAUSAL") return shape.causal ? "1" : "0";
  if (name == "DTYPE") return to_string(shape.dtype);
  throw std::invalid_argument("there is no macro '" + name + "' of the shape");
}

}  // namespace

KernelMacros macros_of(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape) {
  KernelMacros macros;
  macros.reserve(complete.size() + kernel.macros.size());
  for (const auto& [name, value] : complete) macros.emplace_back(name, to_string(value));
  for (const std::string& name : kernel.macros) macros.emplace_back(name, shape_macro(name, shape));
  return macros;
}

}  // namespace tilescope
