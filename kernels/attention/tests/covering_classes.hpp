#pragma once

#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"

/// Which of a kernel's many configurations are compiled to prove that all compile: the full product is out of reach.
namespace tilescope {

/// What a kernel is compiled from, but for its architecture.
struct CompileClass {
  Configuration chosen;  ///< All parameters.
  Shape shape;           ///< D, dtype and causal vary; the other sizes are those of a default Shape.

  bool operator==(const CompileClass&) const = default;
};

/// "BLOCK_M=32 ... D64 fp16 causal"
std::string to_string(const CompileClass& one);

/// The classes of one device.
struct DeviceClasses {
  const DeviceModel* device = nullptr;
  std::vector<CompileClass> classes;
  std::vector<std::string> missing;  ///< "STAGES=4": values that no legal class was found for.
};

/// For each device the defaults at D = 64 and at D = 128 with the other dtype and a causal mask (without both at D = 32
/// where that is too large), the classes with the least and the most dynamic shared memory of those drawn, and classes
/// until every value of every parameter, every dtype of the kernel, causal and not, and D = 32, 64, 96, 128 and 256 occur,
/// and there are `least`. Without `every_size` those D and masks need not occur that no class of those drawn has there. All are legal there by why_invalid. Each class is the one, of those drawn with a
/// fixed seed, that adds most pairs of values which no device had yet: over the devices together, most pairs that are
/// legal occur. The devices must outlive the result.
std::vector<DeviceClasses> covering_classes(const KernelDeclaration& kernel,
                                            const std::vector<const DeviceModel*>& devices, std::size_t least,
                                            bool every_size);

}  // namespace tilescope
