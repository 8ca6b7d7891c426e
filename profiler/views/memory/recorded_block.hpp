#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/service/requests/source_tile.hpp"
#include "profiler/views/memory/bank_traffic.hpp"
#include "sessions/experiment.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The executions of one site in the recorded block, summed.
struct SiteTotals {
  std::uint64_t executions = 0;
  /// Active lanes.
  std::uint64_t lanes = 0;
  /// Sectors for a global site.
  std::uint64_t wavefronts = 0;
  std::uint64_t minimum = 0;
  std::uint32_t worst_degree = 0;
  /// The first execution with the most excess, and that excess.
  std::size_t worst_execution = 0;
  std::uint32_t most_excess = 0;

  std::uint64_t excess() const { return wavefronts - minimum; }
};

/// One block of a configuration, as the interpreter ran it: every access of its lanes to shared and global memory.
struct RecordedBlock {
  Experiment experiment;
  /// Linear: x + grid.x * (y + grid.y * z)
  std::uint64_t block = 0;
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::uint64_t threads = 0;
  /// [B] The static arrays lie before the dynamic shared memory.
  std::uint64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  BlockRecording recording;
  /// The tiles that the kernel declares, with offsets from the start of the block's shared memory.
  std::vector<TileRange> tiles;
  /// A file's kernel by its name, and the arrays that its source declares. Then `experiment` is empty, and `tiles` has what
  /// divide_file_memory() finds.
  std::string file_kernel;
  std::vector<SourceTile> source_tiles;
  /// Why tiles or all their layouts are missing: the fault of their declaration. Else "".
  std::string tiles_problem;
  /// By site.
  std::vector<SiteTotals> totals;
  /// By site: its accesses, into recording.accesses, in the order of execution.
  std::vector<std::vector<std::uint32_t>> accesses_of;
  /// How often the block accessed each word of its shared memory.
  WordCounts words;
  /// One site for each row of access_site_rows, in their order: the worst instruction of the row.
  std::vector<std::uint32_t> worst_first;

  std::uint64_t shared_bytes() const { return static_shared_bytes + dynamic_shared_bytes; }
  bool is_of_file() const { return !file_kernel.empty(); }
  const std::string& kernel() const { return is_of_file() ? file_kernel : experiment.kernel; }
  std::uint64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  /// Worst site of the first row of access_site_rows, so that tables and microscope begin alike. None without sites.
  std::optional<std::uint32_t> worst_site() const;
  /// Worst site of one line of the kernel's file, and of one inlined place in it where there are some.
  std::optional<std::uint32_t> worst_site_of_line(std::uint32_t line,
                                                  const std::string& inlined_place = "") const;
};

/// Fills totals, accesses_of, words and worst_first from the recording.
void sum_up(RecordedBlock& recorded);

/// Its sites in the form of a kernel's counts, by site. Lines of other files than the kernel's are not known.
std::vector<MemorySite> memory_sites(const RecordedBlock& recorded);

}  // namespace tilescope
