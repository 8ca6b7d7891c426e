#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "sessions/views/latency_series.hpp"

namespace tilescope {

/// What the latency plot shows when there is no latency: why, in words, and what gives one.
class NoLatency {
 public:
  void draw(Explorer& explorer, const LatencyView& view);

 private:
  /// The recorded sessions that ship, looked up once.
  std::optional<std::vector<std::filesystem::path>> examples_;
};

}  // namespace tilescope
