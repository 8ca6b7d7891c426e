#pragma once

#include <cstdint>

#include "profiler/execution/simt/warp.hpp"

/// Votes, matches and reductions over the lanes of a warp, as far as PTX and machine code share them. They do
/// not gain by vectors.
namespace tilescope::simt {

/// Writes a value to some lanes.
template <class T>
void broadcast(T* lanes, LaneMask to, T value) {
  for (LaneMask left = to; left != 0; left &= left - 1) lanes[first_lane(left)] = value;
}

/// The lanes of `among` whose value is `wanted`.
template <class T>
LaneMask lanes_with(const T* values, LaneMask among, T wanted) {
  LaneMask found = 0;
  for (int lane = 0; lane < lane_count; ++lane)
    found |= static_cast<LaneMask>(values[lane] == wanted ? 1u : 0u) << lane;
  return found & among;
}

/// Writes to each of the lanes the mask of those with its value, which `with_value_of(lane)` gives. `to` may be the
/// register of the values.
template <class Group>
void write_groups(LaneMask* to, LaneMask among, const Group& with_value_of) {
  LaneMask groups[lane_count];
  for (LaneMask left = among; left != 0;) {
    const LaneMask group = with_value_of(first_lane(left));
    broadcast(groups, group, group);
    left &= ~group;
  }
  for (LaneMask left = among; left != 0; left &= left - 1) to[first_lane(left)] = groups[first_lane(left)];
}

struct Sum {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
struct Both {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a & b; }
};
struct Either {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};
struct Parity {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

/// Over the lanes, of which there is at least one.
template <class Operation, class T>
T reduce_lanes(const T* values, LaneMask among) {
  T result = values[first_lane(among)];
  for (LaneMask left = among & (among - 1); left != 0; left &= left - 1)
    result = Operation{}(result, values[first_lane(left)]);
  return result;
}

}  // namespace tilescope::simt
