#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/explorer/asked_experiment.hpp"
#include "profiler/client/point_store.hpp"

namespace tilescope {

class Explorer;

/// The memory counts of the whole kernel under the sliders, with all of its access sites: a point keeps the worst alone.
class KernelCounts {
 public:
  /// A panel that shows them says so in every frame: what is not there is asked for.
  void want(Explorer& explorer);

  /// Makes the request of the next want() anew, where missing() can be retried.
  void retry() { asked_.reset(); }

  /// A point with memory, and without a latency. The former one stays while a newer is counted; nullptr before the
  /// first, and where the newest request failed.
  Point counts() const { return counts_; }
  /// Whether an answer is awaited; counts() is then that of another configuration.
  bool waits() const { return waits_; }
  /// For a panel without counts: what is missing and how to get it. Empty with counts.
  const MissingAnswer& missing() const { return missing_; }
  /// Counts up with each change of the above.
  std::uint64_t revision() const { return revision_; }

 private:
  void begin(Explorer& explorer, AskedExperiment asked);
  void send(Explorer& explorer);
  void take(Explorer& explorer, const Point& point);
  void end(MissingAnswer missing, Point counts = nullptr);

  bool waits_ = false;
  /// Else the request is held back for the point and the traced block.
  bool is_sent_ = false;
  std::optional<AskedExperiment> asked_;
  Point counts_;
  MissingAnswer missing_;
  std::uint64_t revision_ = 0;
  /// Of the request that counts: an earlier one's answer is dropped.
  std::uint64_t last_request_ = 0;
  /// An answer may come after this object has gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
