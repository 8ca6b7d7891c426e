#pragma once

#include <string>
#include <vector>

#include "kernels/attention/tests/kernel_case.hpp"
#include "profiler/explanation/layouts/swizzle_solver.hpp"

namespace tilescope {

/// A block of a kernel, interpreted, with its tiles. The kernel has no static shared memory.
struct RecordedCase {
  BlockRecording recording;
  std::vector<TileRange> tiles;

  RecordedCase(const KernelCase& one, const CompiledKernel& compiled, const DeviceModel& device,
               std::uint64_t block = 0)
      : tiles(tile_ranges(one.kernel, one.kernel.complete(one.chosen), one.shape, device)) {
    RecordingOptions options;
    options.block = block;
    options.byte_limit = std::uint64_t{1} << 30;
    for (const TileRange& tile : tiles) {
      options.tiles.push_back(
          {tile.name, static_cast<std::uint64_t>(tile.offset), static_cast<std::uint64_t>(tile.bytes)});
    }
    recording = CaseLaunch(one, compiled, device).recording(options);
  }

  /// Wavefronts of all accesses to the tiles of this name.
  std::uint64_t wavefronts(const std::string& tile) const {
    std::uint64_t sum = 0;
    for (const RecordedAccess& access : recording.accesses) {
      if (is_of(access, tile)) sum += access.wavefronts;
    }
    return sum;
  }
  std::uint64_t executions(const std::string& tile) const {
    std::uint64_t sum = 0;
    for (const RecordedAccess& access : recording.accesses) sum += is_of(access, tile) ? 1 : 0;
    return sum;
  }

 private:
  bool is_of(const RecordedAccess& access, const std::string& tile) const {
    const RecordedSite& site = recording.sites[access.site];
    return site.is_shared && site.tile == tile;
  }
};

/// The solver's question about a tile with a layout.
inline SolverQuestion question_about(const TileRange& tile, const KernelCase& one,
                                     const DeviceModel& device) {
  const Configuration complete = one.kernel.complete(one.chosen);
  SolverQuestion question;
  question.tile = tile;
  question.elements = elements_of(*tile.layout);
  question.is_declared = true;
  question.kernel_layouts = kernel_layouts(one.kernel, complete, one.shape, device, tile, 0);
  question.shared_bytes = launch_geometry(one.kernel, complete, one.shape, device).dynamic_shared_bytes;
  question.max_shared_bytes = device.shared_bytes_per_block_optin;
  return question;
}

}  // namespace tilescope
