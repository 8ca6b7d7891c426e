#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

/// Chooses the configurations of a kernel that are compiled to show that all compile: the full product is too large.
namespace tilescope {

/// Everything that a kernel is compiled from, except the architecture.
struct CompileClass {
  /// All parameters.
  Configuration chosen;
  /// D, dtype and causal vary; the other sizes are those of a default Shape.
  Shape shape;

  bool operator==(const CompileClass&) const = default;
};

/// "BLOCK_M=32 ... D64 fp16 causal"
std::string to_string(const CompileClass& one);

/// The classes of one device.
struct DeviceClasses {
  const DeviceModel* device = nullptr;
  std::vector<CompileClass> classes;
  /// "STAGES=4": values without a valid class.
  std::vector<std::string> missing;
};

/// Classes for each device: the defaults at D = 64, and at D = 128 with the other dtype and a causal mask (at D = 32
/// without both where that is too large); the classes with the least and the most dynamic shared memory of those drawn;
/// and further ones until every parameter value, every dtype of the kernel, causal and not, and D = 32, 64, 96, 128 and
/// 256 occur, and there are at least `least`. Without `every_size` a D or a mask may be missing if no drawn class has
/// it there. All classes are valid there by why_invalid. Candidates are drawn with a fixed seed, and each chosen class
/// adds the most pairs of values that no device had yet, so that most valid pairs occur over all devices together. The
/// devices must outlive the result.
std::vector<DeviceClasses> covering_classes(const KernelDeclaration& kernel,
                                            const std::vector<const DeviceModel*>& devices, std::size_t least,
                                            bool every_size);

}  // namespace tilescope
