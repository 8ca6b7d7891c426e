#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/block_recording.hpp"

namespace tilescope {

/// Makes a recording as if a block had been traced.
class RecordingBuilder {
 public:
  std::uint32_t add_site(const std::string& tile, simt::Access access, std::uint32_t width,
                         std::uint32_t line = 1, const std::string& instruction = "ld.shared") {
    RecordedSite site;
    site.access = access;
    site.line = line;
    site.operation = instruction.starts_with("wmma.load") ? "wmma.load.shared" : "ld.shared";
    site.width_bytes = width;
    site.tile = tile;
    site.instruction = instruction;
    recording_.sites.push_back(site);
    return static_cast<std::uint32_t>(recording_.sites.size() - 1);
  }

  /// One access of all lanes to these addresses, `times` times.
  void add_access(std::uint32_t site, const std::function<std::uint64_t(int)>& address_of, int times = 1) {
    std::array<std::uint64_t, 32> addresses{};
    RecordedPattern pattern;
    pattern.lanes = simt::all_lanes;
    for (int lane = 0; lane < 32; ++lane) {
      addresses[static_cast<std::size_t>(lane)] = address_of(lane);
      pattern.offsets[static_cast<std::size_t>(lane)] =
          static_cast<std::int64_t>(address_of(lane) - address_of(0));
    }
    const RecordedSite& of = recording_.sites[site];
    const SharedCost cost =
        shared_cost(of.access, addresses.data(), simt::all_lanes, static_cast<int>(of.width_bytes));
    recording_.patterns.push_back(pattern);
    for (int i = 0; i < times; ++i) {
      RecordedAccess access;
      access.base = addresses[0];
      access.site = site;
      access.pattern = static_cast<std::uint32_t>(recording_.patterns.size() - 1);
      access.wavefronts = static_cast<std::uint16_t>(cost.wavefronts);
      access.minimum = static_cast<std::uint16_t>(cost.minimum);
      access.degree = static_cast<std::uint16_t>(cost.degree);
      recording_.accesses.push_back(access);
    }
  }

  const BlockRecording& recording() const { return recording_; }

 private:
  BlockRecording recording_;
};

}  // namespace tilescope
