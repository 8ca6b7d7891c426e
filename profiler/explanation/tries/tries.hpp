#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/diagnose/rule.hpp"
#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// One change of a point, and what came of it.
struct Try {
  ParameterChange change;
  /// nullptr until it is tried.
  SharedMeasurement result{};
  /// Whether machine code and launch are the point's.
  bool is_same_code = false;
};

/// The changes of one parameter of a point, in the order in which they are tried, and what came of them. First every
/// parameter one step each way, those that may repair a diagnosis before the others; then further steps of the numbers
/// that gain, as long as each gains over the one before.
class Tries {
 public:
  Tries() = default;
  /// The changes of a correct point that is measured or predicted, of others none. `device` nullptr: all values count as
  /// valid.
  Tries(SharedMeasurement point, KernelDeclaration kernel, const DeviceModel* device);

  const std::vector<Try>& list() const { return list_; }
  /// The change to compile, count and predict next; nullptr when all or max_tries are tried, or where the machine cannot
  /// go on.
  const ParameterChange* next() const;
  void take(const ParameterChange& change, SharedMeasurement result);
  std::size_t tried() const;
  /// Records of all changes, for the point.
  std::vector<TriedChange> records() const;

 private:
  ChangedPoint changed() const;
  bool is_same_code(const ParameterChange& change, const Measurement& result) const;
  void go_on_from(const Try& tried);

  SharedMeasurement point_;
  KernelDeclaration kernel_;
  std::optional<DeviceModel> device_;
  /// launch_identity of the point; "" where it has none.
  std::string launch_;
  std::vector<Try> list_;
  /// The machine, not the kernel, ended a try.
  bool is_stopped_ = false;
};

/// Record of a change, for the point.
TriedChange record_of(const Measurement& point, const Try& tried);

}  // namespace tilescope
