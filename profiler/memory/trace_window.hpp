#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiler/memory/trace.hpp"
#include "sessions/json.hpp"

/// A window of the raw trace: the address of each lane, execution by execution, for the panels that draw it.
namespace tilescope {

struct TraceWindowOptions {
  /// Linear index of the block that is run and recorded.
  std::uint64_t block = 0;
  /// Only instructions of these lines of the kernel's own file, or with these PTX lines; both empty: all of them.
  std::vector<std::uint32_t> lines, ptx_lines;
  /// The state spaces that are recorded.
  bool shared = true, global = false;
  /// Half-open range of the matching executions, counted from 0 in the order of the interpreter.
  std::uint64_t first = 0, end = UINT64_MAX;
  /// [B] The largest size of the window. When more executions match, the first ones are kept.
  std::uint64_t byte_limit = 16 << 20;
  /// As in TraceOptions.
  std::vector<NamedTile> tiles;
  /// As in TraceOptions.
  std::string main_file;
  std::uint64_t instructions_per_block = 2'000'000'000;
  std::function<bool()> cancelled;
};

/// One execution of a memory instruction by a warp.
struct WindowAccess {
  /// Its number among those that match.
  std::uint64_t execution = 0;
  /// Into RecordedWindow::sites.
  std::uint32_t site = 0;
  /// In the block.
  std::uint32_t warp = 0;
  /// A bit for each lane that accesses memory.
  std::uint32_t lanes = 0;
  /// Sectors for a global access.
  std::uint32_t wavefronts = 0;
  /// The minimum of wavefronts or sectors.
  std::uint32_t minimum = 0;
  /// The most wavefronts of one pass; 0 for a global access.
  std::uint32_t degree = 0;
  /// [B] One per lane: offsets in shared memory, else addresses; 0 for lanes that access nothing.
  std::array<std::uint64_t, 32> addresses{};
};

/// What the accesses of one instruction to one tile have in common.
struct WindowSite {
  /// In the kernel's own file; 0: unknown.
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;
  /// As MemorySite::operation.
  std::string operation;
  /// [B] a lane
  std::uint32_t width_bytes = 0;
  std::string tile;
  /// As in the PTX.
  std::string instruction;
};

struct RecordedWindow {
  /// Executions of the block that match, recorded or not.
  std::uint64_t matching = 0;
  /// The byte limit was reached before `end`.
  bool truncated = false;
  std::vector<WindowSite> sites;
  /// In the order of execution.
  std::vector<WindowAccess> accesses;
  /// The faults that ended the block early, if any.
  std::vector<Finding> findings;
};

/// Runs one block. Throws what ptx::run throws: std::invalid_argument for a block outside the grid.
RecordedWindow record_window(const ptx::Program& program, const ptx::Launch& launch,
                             ptx::GlobalMemory& memory, const TraceWindowOptions& options);

/// A piece of the window as JSON, with at most `count` accesses from `first` on, which a worker sends in one message:
/// {matching, recorded, truncated, first, sites [...], accesses [...], findings [...]}. `first` is the place of
/// accesses[0] among all that were recorded. Addresses are a list of 32 with null for lanes that access nothing.
Json to_json(const RecordedWindow& window, std::size_t first, std::size_t count);

}  // namespace tilescope
