#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "sessions/views/points/latency_series.hpp"

namespace tilescope {

/// Shown by the latency plot when there is neither a latency nor a prediction: the reason, and how to get one.
class NoLatency {
 public:
  /// `all_settings` is the plot's option, which a button may set.
  void draw(Explorer& explorer, const LatencyView& view, bool& all_settings);

 private:
  /// The recorded sessions that ship, looked up once.
  std::optional<std::vector<std::filesystem::path>> examples_;
};

/// Above a plot in which nothing was timed: where the kernel's timed points are, with a button that chooses their device;
/// nothing where there are none. Marks "latency.elsewhere" and "latency.choose_device".
void draw_timed_elsewhere(Explorer& explorer, const LatencyView& view);

}  // namespace tilescope
