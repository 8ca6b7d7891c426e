#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/memory/trace.hpp"

/// A recording of the raw trace: the address of each lane, execution by execution, for the panels that draw it.
namespace tilescope {

struct RecordingOptions {
  /// Linear index of the block that is run and recorded.
  std::uint64_t block = 0;
  /// Only instructions of these lines of the kernel's own file, or with these PTX lines; both empty: all of them.
  std::vector<std::uint32_t> lines, ptx_lines;
  /// The state spaces that are recorded.
  bool shared = true, global = false;
  /// Half-open range of the matching executions, counted from 0 in the order of the interpreter.
  std::uint64_t first = 0, end = UINT64_MAX;
  /// [B] The largest size of the recording. When more executions match, the first ones are kept.
  std::uint64_t byte_limit = 16 << 20;
  /// As in TraceOptions.
  std::vector<NamedTile> tiles;
  /// As in TraceOptions.
  std::string main_file;
  std::uint64_t instructions_per_block = 2'000'000'000;
  std::function<bool()> cancelled;
};

/// The lanes of an access and their distances. Most executions of an instruction repeat one pattern at another place, so
/// that a recording holds few patterns and many accesses.
struct RecordedPattern {
  /// A bit for each lane that accesses memory.
  std::uint32_t lanes = 0;
  /// [B] From RecordedAccess::base, for each lane; 0 for lanes that access nothing.
  std::array<std::int64_t, 32> offsets{};
  /// [B] For a cp.async past L1: where each lane reads, from RecordedAccess::source_base. Empty for everything else.
  std::vector<std::int64_t> source_offsets;
  /// With source_offsets, a bit for each lane that reads: the others copy zeros.
  std::uint32_t source_lanes = 0;

  bool operator==(const RecordedPattern&) const = default;
};

/// One execution of a memory instruction by a warp.
struct RecordedAccess {
  /// [B] The address of the lowest active lane: an offset in shared memory, else an address.
  std::uint64_t base = 0;
  /// [B] The global address that this lane copies from; 0 where the pattern has no source_offsets.
  std::uint64_t source_base = 0;
  /// Into BlockRecording::sites.
  std::uint32_t site = 0;
  /// Into BlockRecording::patterns.
  std::uint32_t pattern = 0;
  /// In the block.
  std::uint16_t warp = 0;
  /// Sectors for a global access.
  std::uint16_t wavefronts = 0;
  /// The minimum of wavefronts or sectors.
  std::uint16_t minimum = 0;
  /// The most wavefronts of one pass; 0 for a global access.
  std::uint16_t degree = 0;

  bool operator==(const RecordedAccess&) const = default;
};
static_assert(sizeof(RecordedAccess) == 32);

/// Properties common to the accesses of one instruction to one tile.
struct RecordedSite {
  /// In shared memory, else in global memory.
  bool is_shared = true;
  simt::Access access = simt::Access::load;
  /// In the kernel's own file; 0: unknown.
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;
  /// As MemorySite::address.
  std::optional<std::int64_t> address;
  /// As MemorySite::operation.
  std::string operation;
  /// [B] a lane
  std::uint32_t width_bytes = 0;
  std::string tile;
  /// As in the code that ran.
  std::string instruction;
  /// As MemorySite::inlined.
  std::vector<std::string> inlined;

  bool operator==(const RecordedSite&) const = default;
};

/// "line 148", "line 151, mma_key_loop.cuh:225" of an inlined access; without line information code_place_words().
std::string place_words(const RecordedSite& site);
/// The instruction in the code that ran: "machine code at 0x0390", "PTX line 812".
std::string code_place_words(const RecordedSite& site);

/// How often the block's warps executed one machine instruction, or the instructions of one line of the PTX.
struct LineExecutions {
  std::uint32_t ptx_line = 0;
  /// As MemorySite::address.
  std::optional<std::int64_t> address;
  /// In the kernel's own file; 0: unknown.
  std::uint32_t line = 0;
  /// Warp instructions.
  std::uint64_t executions = 0;

  bool operator==(const LineExecutions&) const = default;
};

struct BlockRecording {
  /// Executions of the block that match, recorded or not.
  std::uint64_t matching = 0;
  /// The number of accesses[0] among those that match.
  std::uint64_t first = 0;
  /// The byte limit was reached before `end`.
  bool truncated = false;
  std::vector<RecordedSite> sites;
  std::vector<RecordedPattern> patterns;
  /// In the order of execution.
  std::vector<RecordedAccess> accesses;
  /// All instructions of the block, not only those that access memory.
  std::vector<LineExecutions> instructions;
  /// The static arrays of the kernel in shared memory, and its extern one, whose bytes are 0.
  std::vector<NamedTile> arrays;
  /// The faults that ended the block early, if any.
  std::vector<Finding> findings;
};

/// Whether machine code ran, and not PTX.
bool is_of_machine_code(const BlockRecording& recording);

/// [B] One per lane; 0 for lanes that access nothing.
std::array<std::uint64_t, 32> addresses_of(const BlockRecording& recording, const RecordedAccess& access);
/// [B] Addresses that a cp.async past L1 copies from. Only for a pattern with source_offsets.
std::array<std::uint64_t, 32> source_addresses_of(const BlockRecording& recording,
                                                  const RecordedAccess& access);

/// Runs one block. Throws what simt::run throws: std::invalid_argument for a block outside the grid.
BlockRecording record_block(const simt::Program& program, const simt::Launch& launch,
                            simt::GlobalMemory& memory, const RecordingOptions& options);

/// At most `count` accesses from the place `first` on, and the patterns that they are the first to use, as a worker
/// sends them in one message: {patterns [{lanes, offsets, source_offsets, source_lanes}], columns of numbers for the accesses: site,
/// pattern, warp, base, source_base, wavefronts, minimum, degree}. Pieces are made and read in order.
Json piece_of(const BlockRecording& recording, std::size_t first, std::size_t count);
/// Appends a piece. Throws DocumentError with the place.
void append_piece(BlockRecording& recording, const Json& piece);

/// Reading throws DocumentError with the place.
void to_json(Json& json, const RecordedSite& site);
void from_json(const Json& json, RecordedSite& site);
void to_json(Json& json, const NamedTile& array);
void from_json(const Json& json, NamedTile& array);
void to_json(Json& json, const LineExecutions& line);
void from_json(const Json& json, LineExecutions& line);

}  // namespace tilescope
