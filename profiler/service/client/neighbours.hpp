#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Limit for all sliders together.
inline constexpr std::size_t max_neighbours = 16;

/// The last move of a slider, in the order in which its values are declared.
struct SliderMove {
  enum class Direction { down, up };
  std::string parameter;
  Direction direction = Direction::up;

  bool operator==(const SliderMove&) const = default;
};

/// The move from one experiment to another. Nothing where not exactly one parameter of the same kernel differs, or a
/// value is not declared.
std::optional<SliderMove> slider_move(const KernelDeclaration& kernel, const Experiment& from,
                                      const Experiment& to);

/// A configuration that the next move of a slider may go to.
struct Neighbour {
  Experiment experiment;
  /// Whether it is the slider of the last move that leads there.
  bool is_of_last_move = false;
};

/// The valid configurations one step away on a slider of the kernel, at most max_neighbours. A step skips values that
/// are invalid with the others as they are; for a parameter of names, each other name is one step away. The likeliest
/// come first: the slider of the last move one step and two steps on in its direction, then the other way; then the
/// other sliders in the order of their declaration, up and down. The shape stays. `experiment` has all parameters.
std::vector<Neighbour> neighbours_of(const KernelDeclaration& kernel, const DeviceModel& device,
                                     const Experiment& experiment,
                                     const std::optional<SliderMove>& last_move);

}  // namespace tilescope
