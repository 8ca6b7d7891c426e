#include "profiler/measure/files/shared_names.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/cubin_error.hpp"
#include "profiler/execution/sass/embedded_ptx.hpp"
#include "profiler/measure/files/shared_placement.hpp"

namespace tilescope {
namespace {

// A block that runs longer reaches the same arrays over and over.
constexpr std::uint64_t most_instructions = 20'000'000;
// [B] of a recording.
constexpr std::uint64_t most_recorded = std::uint64_t{16} << 20U;
// [B] Larger PTX, of a library with hundreds of kernels, is not read for its names.
constexpr std::size_t most_ptx = std::size_t{16} << 20U;

std::vector<std::optional<ReachedBytes>> reached_bytes(const ptx::SharedUses& uses,
                                                       const BlockRecording& recording) {
  std::vector<std::optional<ReachedBytes>> reached(uses.arrays.size());
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    const auto array = uses.array_at.find(site.ptx_line);
    if (array == uses.array_at.end()) continue;
    const auto addresses = addresses_of(recording, access);
    std::optional<ReachedBytes>& bytes = reached[array->second];
    for (std::uint32_t rest = recording.patterns[access.pattern].lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t first = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::uint64_t end = first + site.width_bytes;
      if (!bytes) bytes = ReachedBytes{first, end};
      bytes->first = std::min(bytes->first, first);
      bytes->end = std::max(bytes->end, end);
    }
  }
  return reached;
}

void add_symbol(simt::Program& program, const std::string& name, std::uint64_t offset, std::uint64_t bytes) {
  program.shared_symbols.push_back(
      {name, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
}

}  // namespace

ptx::SharedUses shared_uses_of(const std::string& cubin, const std::string& entry) {
  try {
    const std::string text = sass::embedded_ptx(cubin);
    if (text.size() > most_ptx || text.find(".shared") == std::string::npos) return {};
    return ptx::shared_uses(ptx::parse(text), entry);
  } catch (const ptx::PtxError&) {
    return {};
  } catch (const sass::CubinError&) {
    return {};
  }
}

void name_shared_memory(const ptx::SharedUses& uses, simt::Program& program) {
  if (!program.shared_symbols.empty()) return;
  if (uses.arrays.size() == 1 && uses.arrays.front().bytes == program.static_shared_bytes)
    add_symbol(program, uses.arrays.front().name, 0, uses.arrays.front().bytes);
  if (!uses.dynamic.empty()) add_symbol(program, uses.dynamic, program.static_shared_bytes, 0);
}

bool has_unplaced_arrays(const ptx::SharedUses& uses, const simt::Program& program) {
  const bool has_named = std::ranges::any_of(
      program.shared_symbols, [](const simt::SharedSymbol& symbol) { return symbol.bytes > 0; });
  return uses.arrays.size() > 1 && !has_named;
}

void place_shared_arrays(const ptx::SharedUses& uses, simt::Program& program, const simt::Launch& launch,
                         simt::GlobalMemory& memory, const std::function<bool()>& cancelled) {
  RecordingOptions options;
  options.byte_limit = most_recorded;
  options.instructions_per_block = most_instructions;
  options.cancelled = cancelled;
  const BlockRecording recording = record_block(program, launch, memory, options);
  const auto places = place_arrays(uses.arrays, reached_bytes(uses, recording), program.static_shared_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) add_symbol(program, uses.arrays[i].name, *places[i], uses.arrays[i].bytes);
  }
}

}  // namespace tilescope
