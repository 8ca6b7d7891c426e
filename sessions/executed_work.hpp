#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// A place in the source with one or more instructions there.
struct InstructionPlace {
  /// Line in the kernel's own file, for an inlined function the line of its call. 0: unknown.
  std::int64_t line = 0;
  /// Name of `line`'s file, without its folder.
  std::string file;
  /// As MemorySite::inlined.
  std::vector<std::string> inlined;

  auto operator<=>(const InstructionPlace&) const = default;
};

/// Instructions that a warp executed without some of its lanes.
struct PartialLanes {
  InstructionPlace place;
  /// Warp instructions, scaled to the grid.
  std::int64_t instructions = 0;
  /// Active lanes, summed over them.
  std::int64_t lanes = 0;

  bool operator==(const PartialLanes&) const = default;
};

/// A block-wide barrier of the watched block.
struct BarrierSite {
  InstructionPlace place;
  /// How often the block passed it.
  std::int64_t passes = 0;
  /// Barriers without which an access of one warp could have met one of another warp. If one of several
  /// barriers would do, the last counts as needed.
  std::int64_t needed = 0;
  /// Warp instructions that the other warps could have executed while the busiest one came here.
  std::int64_t idle_instructions = 0;
  /// Passes without which an access of one lane could have met one of another lane of its warp. 0 in older points.
  std::int64_t orders_lanes = 0;

  bool operator==(const BarrierSite&) const = default;
};

/// Reads of global memory by the watched block, of which some fetch again what the block has read before.
struct RepeatedRead {
  InstructionPlace place;
  std::int64_t sectors = 0;
  /// Sectors that the block had read already.
  std::int64_t again = 0;

  bool operator==(const RepeatedRead&) const = default;
};

/// Observations of one block in the middle of those that ran, beyond the counts.
struct WatchedBlock {
  std::int64_t warps = 0;
  /// None where the kernel orders its warps by other means as well, such as mbarriers.
  std::optional<std::vector<BarrierSite>> barriers;
  /// Sectors of global memory that were read, and the different ones among them.
  std::int64_t sectors_read = 0, different_sectors = 0;
  /// The places that read the most again, at most 3.
  std::vector<RepeatedRead> repeated;

  bool operator==(const WatchedBlock&) const = default;
};

/// How the instructions of a launch were spread over lanes and warps; all counts are scaled to the grid like those
/// beside them.
struct ExecutedWork {
  /// Active lanes, summed over MemoryCounts::warp_instructions.
  std::int64_t lane_instructions = 0;
  /// While the lanes of a warp were apart, the warp's instructions in excess of the lane that took part in the most:
  /// branches that were executed one after the other.
  std::int64_t serialised_instructions = 0;
  /// Warp instructions if between two barriers all warps of a block had as many as its busiest one.
  std::int64_t paced_instructions = 0;
  /// Where most lanes were missing, at most 3.
  std::vector<PartialLanes> partial_lanes;
  std::optional<WatchedBlock> watched;

  bool operator==(const ExecutedWork&) const = default;
};

/// As sessions/schema.json has it. Reading throws DocumentError.
void to_json(Json& json, const InstructionPlace& place);
void from_json(const Json& json, InstructionPlace& place);
void to_json(Json& json, const PartialLanes& lanes);
void from_json(const Json& json, PartialLanes& lanes);
void to_json(Json& json, const BarrierSite& site);
void from_json(const Json& json, BarrierSite& site);
void to_json(Json& json, const RepeatedRead& read);
void from_json(const Json& json, RepeatedRead& read);
void to_json(Json& json, const WatchedBlock& block);
void from_json(const Json& json, WatchedBlock& block);
void to_json(Json& json, const ExecutedWork& work);
void from_json(const Json& json, ExecutedWork& work);

}  // namespace tilescope
