#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "sessions/views/latency_series.hpp"

namespace tilescope {

/// Shown by the latency plot when there is no latency: the reason, and how to get one.
class NoLatency {
 public:
  void draw(Explorer& explorer, const LatencyView& view);

 private:
  /// The recorded sessions that ship, looked up once.
  std::optional<std::vector<std::filesystem::path>> examples_;
};

}  // namespace tilescope
