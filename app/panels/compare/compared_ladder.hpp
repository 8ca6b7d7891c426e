#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/explorer/explorer.hpp"
#include "sessions/compare/compared_columns.hpp"
#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// The best points of the ladder's rungs at the shape and on the device of A, held against A.
class ComparedLadder {
 public:
  /// Takes new points. Once per frame in which it is shown.
  void update(Explorer& explorer, const std::shared_ptr<const Comparison>& comparison);
  /// Returns the point of a column whose name was clicked: it becomes B.
  SharedMeasurement draw() const;
  std::string csv() const;

 private:
  Ladder ladder_;
  LadderKernels kernels_;
  std::uint64_t kernels_revision_ = 0;
  std::shared_ptr<const Comparison> comparison_;
  std::string name_;
  ComparedTable table_;
};

}  // namespace tilescope
