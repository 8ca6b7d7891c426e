#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// A configuration and the machine code that it has.
struct CodeOfConfiguration {
  const Configuration& parameters;
  const Shape& shape;
  /// As Resources::sass_sha256; "" for not known.
  const std::string& sass_sha256;
};

/// Configurations with one machine code.
struct SameCode {
  /// "This parameter changes nothing here"
  std::string title;
  /// "VEC_WIDTH 8 and 2 compile to the same machine code."
  std::string text;
};

/// None where the codes differ, where a hash is not known, and where no parameter differs. Says so where at least the
/// launch differs: blocks, threads or dynamic shared memory.
std::optional<SameCode> same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                  const CodeOfConfiguration& here, const CodeOfConfiguration& other);

/// Looks for one machine code among a session's points of one kernel, architecture and shape that differ in one
/// parameter. The compared point, which may differ in several, goes first; nullptr for none.
std::optional<SameCode> find_same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                       const CodeOfConfiguration& here, const Measurement* compared,
                                       const std::vector<SharedMeasurement>& points);

}  // namespace tilescope
