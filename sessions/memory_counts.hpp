#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/executed_work.hpp"

namespace tilescope {

/// The source of the counts: the interpreter, from the addresses that were used, or the GPU's counters.
enum class CountKind { counted, measured };

/// Code that the interpreter executed to count: the code that the GPU runs, or the PTX that this code was
/// made from.
enum class CountedFrom { machine_code, ptx };

/// One access site: an instruction that touches memory, with what its executions cost. Sites are scaled to the whole
/// grid like the totals.
struct MemorySite {
  /// Line in the kernel's own file, for an inlined function the line of its call. 0: unknown.
  std::int64_t line = 0;
  /// Name of `line`'s file, without its folder.
  std::string file;
  /// "element.cuh:84 load_packet<8>", innermost first; empty when not inlined.
  std::vector<std::string> inlined;
  /// "ld.shared", "st.shared", "ldmatrix", "cp.async", "ld.global", "st.local" ...
  std::string operation;
  /// [B] per lane
  std::int64_t width_bytes = 0;
  /// "K"; "" if the memory has no name.
  std::string tile;
  /// By warps, with at least one lane.
  std::int64_t executions = 0;
  /// Active lanes, summed over the executions.
  std::int64_t lanes = 0;
  /// Wavefronts of a shared site; sectors of a global or a local one.
  std::int64_t wavefronts = 0;
  /// The minimum for these lanes and this width.
  std::int64_t minimum = 0;
  /// wavefronts - minimum
  std::int64_t conflicts = 0;
  /// The most wavefronts of one pass: 1 is free of conflicts.
  std::int64_t worst_degree = 0;
  /// Executions by the degree of their worst pass; empty for other memory than shared.
  std::map<std::int64_t, std::int64_t> degrees;
  std::int64_t ptx_line = 0;
  /// [B] Address of the machine instruction, from the start of its function; nothing where PTX was counted.
  std::optional<std::int64_t> address;
  /// As in the code that was counted.
  std::string instruction;

  bool operator==(const MemorySite&) const = default;
};

/// An instruction in the code that was counted: "machine code at 0x0390", "PTX line 812" without an address.
std::string code_place(const std::optional<std::int64_t>& address, std::int64_t ptx_line);
/// The two innermost places of `inlined`, or the only one, without the functions' names: accesses of one
/// line that differ in them are two accesses of the source.
std::vector<std::string> innermost_places(const std::vector<std::string>& inlined);
/// The place in another file that makes an access: "mma_key_loop.cuh:225" of {"ldmatrix.cuh:12 load_matrices",
/// "mma_key_loop.cuh:225 ...", ...}. A function that is called from another file is taken for one that only moves the
/// data. "" where the kernel's own line makes it.
std::string accessing_place(const std::vector<std::string>& inlined);
/// "mma_key_loop.cuh" and 225 of such a place; none of "".
std::optional<std::pair<std::string, std::int64_t>> file_and_line(const std::string& place);

/// The memory traffic of one launch, counted over `blocks_run` of `blocks_total` blocks and scaled to all.
struct MemoryCounts {
  CountKind kind = CountKind::counted;
  /// Code that CountKind::counted was counted from; none for what the GPU's counters measured.
  std::optional<CountedFrom> counted_from;
  std::int64_t blocks_run = 0, blocks_total = 0;
  std::int64_t shared_instructions = 0, shared_wavefronts = 0, shared_wavefronts_minimum = 0,
               shared_conflicts = 0;
  std::int64_t global_requests = 0, global_sectors = 0, global_sectors_minimum = 0;
  /// [B] moved by lanes: "shared_read", "global_write" ...
  std::map<std::string, std::int64_t> bytes;
  /// Warp instructions by pipe: "fma", "alu", "mufu", "lsu" ...
  std::map<std::string, std::int64_t> instructions;
  std::int64_t warp_instructions = 0;
  /// Warp arrivals at block barriers.
  std::int64_t barriers = 0;
  /// None of what the GPU's counters measured, and of older points.
  std::optional<ExecutedWork> work;
  /// Most conflicts first, then most wavefronts. A traced point has all sites; a measured one the 8 worst sites above
  /// their minimum, and the 4 busiest of local memory.
  std::vector<MemorySite> sites;

  bool operator==(const MemoryCounts&) const = default;
};

/// A checker's finding: a fault, or something similar that does not change results (see is_fault).
struct Finding {
  /// "race", "out_of_bounds", "misaligned", "uninitialised_read", "divergent_barrier", "early_cp_async_read",
  /// "same_value_store", "global_race", "absent_lane", "member_mask", "unwritten_output", "first_nan", "wrong_value"
  std::string kind;
  /// In the kernel's own file, without repetition.
  std::vector<std::int64_t> lines;
  /// A sentence with lines, threads and addresses.
  std::string text;
  /// Block of the first occurrence: x, y, z.
  std::vector<std::int64_t> block;
  /// Threads of the first occurrence, linear in their block.
  std::vector<std::int64_t> threads;
  /// [B] Addresses of the first occurrence: offsets in shared memory, else addresses.
  std::vector<std::int64_t> addresses;
  /// Number in the blocks that ran.
  std::int64_t occurrences = 0;

  bool operator==(const Finding&) const = default;
};

/// Whether a finding is a fault of the kernel. "same_value_store" is not: threads that store the same value to one
/// address leave the same result in any order.
bool is_fault(const Finding& finding);

/// In the form of sessions/schema.json. Reading throws DocumentError; fields that older documents lack stay empty.
void to_json(Json& json, const MemorySite& site);
void from_json(const Json& json, MemorySite& site);
void to_json(Json& json, const MemoryCounts& counts);
void from_json(const Json& json, MemoryCounts& counts);
void to_json(Json& json, const Finding& finding);
void from_json(const Json& json, Finding& finding);

}  // namespace tilescope
