#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "profiler/service/client/point_store.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The two sides of a comparison; the verdict is about B.
enum class Side : std::size_t { a, b };
inline constexpr std::array<Side, 2> both_sides{Side::a, Side::b};
constexpr Side other_side(Side side) {
  return side == Side::a ? Side::b : Side::a;
}
constexpr std::size_t index_of(Side side) {
  return static_cast<std::size_t>(side);
}
/// "A", "B"
std::string to_string(Side side);

/// The choice for one side of the comparison.
struct SideChoice {
  enum class Kind {
    none,
    /// The configuration under the sliders, as it moves.
    sliders,
    /// A configuration with sliders of its own, at the shape and on the device under the sliders.
    pinned,
    /// A point of a session, as it is.
    point,
  };
  Kind kind = Kind::none;
  Experiment pinned{};
  SharedMeasurement point{};

  bool operator==(const SideChoice&) const = default;
};

/// By index_of(Side).
using SideChoices = std::array<SideChoice, 2>;

/// The difference in a few words: "A: not chosen -> pinned tiled", "B: BLOCK_M 32 -> 64", "swap A and B", "A
/// and B"; "" if they are equal.
std::string change_between(const SideChoices& before, const SideChoices& after);

}  // namespace tilescope
