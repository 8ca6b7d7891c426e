#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/request.hpp"
#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {

/// Which executions of one block's memory instructions are wanted: the addresses that each lane used.
struct AccessSelection {
  /// Linear: x + grid.x * (y + grid.y * z)
  std::uint64_t block = 0;
  /// Lines of the kernel's own file, and lines of its PTX; both empty for all.
  std::vector<std::int64_t> lines, ptx_lines;
  /// The state spaces.
  bool shared = true, global = false;
  /// The first of the matching executions, counted from 0, and how many at most.
  std::uint64_t first = 0;
  std::uint64_t count = 4096;
  /// [B] that the worker keeps at most.
  std::uint64_t byte_limit = 16 << 20;

  bool operator==(const AccessSelection&) const = default;
};

/// Ends a window: the size of the recording, and the names that its accesses refer to.
struct RecordingSummary {
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason;
  /// Executions of the block that match, sent or not.
  std::uint64_t matching = 0;
  std::uint64_t sent = 0;
  /// The byte limit was reached before `count`.
  bool truncated = false;
  /// Lists in the form of profiler/execution/memory/block_recording.hpp: what the accesses' `site` counts into, the executions of all
  /// instructions by PTX line, and the arrays in shared memory.
  Json sites, instructions, arrays;
  std::vector<Finding> findings;
  /// Arrays of a file's kernel that its source declares.
  std::vector<SourceTile> source_tiles{};
  /// The launch, in blocks.
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::uint64_t threads = 0;
  /// [B] of the block: its static arrays lie before its dynamic shared memory.
  std::uint64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
};

/// The addresses of one block's memory instructions. They come in parts, pieces as profiler/execution/memory/block_recording.hpp
/// writes them.
struct RecordBlock {
  static constexpr const char* name = "trace_window";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
    AccessSelection selection;
    /// Where there is one, `experiment` does not matter.
    std::optional<ChosenFile> file{};
  };
  using Answer = RecordingSummary;
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const AccessSelection& selection);
void from_json(const Json& json, AccessSelection& selection);
void to_json(Json& json, const RecordingSummary& summary);
void from_json(const Json& json, RecordingSummary& summary);
void to_json(Json& json, const RecordBlock::Params& params);
void from_json(const Json& json, RecordBlock::Params& params);

}  // namespace tilescope
