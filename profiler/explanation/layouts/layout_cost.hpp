#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/explanation/layouts/tile_accesses.hpp"

namespace tilescope {

/// All executions of one site.
struct SiteCost {
  /// Into BlockRecording::sites.
  std::uint32_t site = 0;
  std::uint64_t executions = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t minimum = 0;

  std::uint64_t excess() const { return wavefronts - minimum; }
  bool operator==(const SiteCost&) const = default;
};

/// Cost of a tile's accesses with one layout, by the rules of profiler/execution/memory/bank_conflicts.hpp.
struct LayoutCost {
  std::uint64_t wavefronts = 0;
  std::uint64_t minimum = 0;
  /// In the order of TileAccesses::sites.
  std::vector<SiteCost> sites;
  /// The access whose executions together have the most excess, into TileAccesses::accesses; without any excess the
  /// one with the most wavefronts.
  std::size_t worst = 0;

  std::uint64_t excess() const { return wavefronts - minimum; }
};

/// [B] The addresses of an access's lanes when the tile's elements lie at `places`.
std::array<std::uint64_t, 32> addresses_at(const TileAccess& access,
                                           const std::vector<std::uint32_t>& places);

/// The cost of one execution of an access.
SharedCost cost_of(const TileAccess& access, const std::vector<std::uint32_t>& places);

/// `places` must keep all runs together: see find_cut.
LayoutCost cost_of(const TileAccesses& tile, const std::vector<std::uint32_t>& places);

/// Why places cannot be used.
enum class Cut {
  none,
  /// An access would move bytes that do not lie one after the other.
  apart,
  /// They would not be aligned to the access's width.
  misaligned,
};
struct CutRun {
  Cut cut = Cut::none;
  /// The first run that is cut, into TileAccesses::runs.
  std::size_t run = 0;
};
CutRun find_cut(const TileAccesses& tile, const TileShape& shape, const std::vector<std::uint32_t>& places);

}  // namespace tilescope
