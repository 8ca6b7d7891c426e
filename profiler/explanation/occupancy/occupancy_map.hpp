#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/occupancy/block_needs.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// One configuration of the map.
struct OccupancyMapCell {
  enum class State {
    /// Its resources are those that the compiler reported.
    exact,
    /// It was never compiled: its registers are unknown, and `occupancy` is the most that its threads, its dynamic
    /// shared memory and the SM's block limit allow.
    bound,
    /// It cannot run: `reason` says why.
    invalid,
  };
  State state = State::bound;
  Configuration configuration;
  /// A sentence.
  std::string reason;
  /// Not of an invalid one, nor is what follows.
  Occupancy occupancy;
  std::int64_t threads = 0;
  /// [B] static and dynamic; of a bound the dynamic part.
  std::int64_t shared_bytes = 0;
  /// Registers of an exact one.
  std::optional<std::int64_t> registers;
  /// Texts in the cell, the most important line first: "33.3 %", "1.10 waves", "last wave 10 %"; for a bound
  /// "≤ 33.3 %", "≥ 1.10 waves".
  std::vector<std::string> lines;
};

struct OccupancyMapView {
  ValueAxis x;
  ValueAxis y;
  /// [y, x], y ascending.
  std::vector<OccupancyMapCell> cells;
  std::size_t exact = 0;
  std::size_t bounds = 0;
  std::size_t invalid = 0;
  /// The cell of the configuration from which the map was made.
  std::optional<std::size_t> current;
};

/// Resources that the compiler reported for a configuration of this kernel, shape and device; nothing if it
/// was not compiled.
using KnownResources = std::function<std::optional<Resources>(const Configuration&)>;

/// Inputs of a map.
struct OccupancyMapInput {
  /// Not one that a library launches.
  const KernelDeclaration& kernel;
  /// Complete; the two parameters on the axes are replaced.
  Configuration configuration;
  Shape shape;
  const DeviceModel& device;
};
OccupancyMapView occupancy_map(const OccupancyMapInput& input, const ValueAxis& x, const ValueAxis& y,
                               const KnownResources& known);

/// How many cells are exact and how many are bounds, and what that means.
std::string map_sentence(const OccupancyMapView& view);
/// The figures of a cell for a tooltip.
std::vector<TextPair> cell_tooltip(const OccupancyMapCell& cell);

/// A line for each cell: both parameters, exact, bound or invalid, blocks and warps per SM, occupancy, limiter, waves,
/// tail, registers, shared memory, threads, reason.
std::string occupancy_map_csv(const OccupancyMapView& view);

/// Whether two configurations of a kernel are compiled from the same code where their parameters are equal: the shape
/// reaches the code as D, dtype and causal alone.
bool compiles_alike(const Shape& a, const Shape& b);

}  // namespace tilescope
