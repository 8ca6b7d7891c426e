#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/explorer/explorer.hpp"
#include "profiler/explanation/occupancy/block_needs.hpp"

namespace tilescope {

/// The block whose occupancy is explained: a block of the point that panels show. While a newer one is being made, the
/// former one stays.
class OccupancySubject {
 public:
  /// Returns whether the block or its device changed.
  bool update(const Explorer& explorer);

  /// Nothing where there is no block: say_what_is_missing() then.
  const std::optional<BlockNeeds>& needs() const { return needs_; }
  const DeviceModel& device() const { return device_; }
  /// The point under the sliders is being made: the block is the one before.
  bool is_outdated() const { return outdated_; }
  /// "flash_scalar for L4"
  std::string heading() const;
  /// "64 registers per thread, ..."
  std::string words() const;
  /// An empty state with what is missing and how to get it.
  void say_what_is_missing(const Explorer& explorer) const;

 private:
  void take(const Explorer& explorer, const SharedMeasurement& point);

  SharedMeasurement point_;
  std::string kernel_;
  std::uint64_t kernels_revision_ = 0;
  DeviceModel device_;
  std::optional<BlockNeeds> needs_;
  bool outdated_ = false;
};

}  // namespace tilescope
