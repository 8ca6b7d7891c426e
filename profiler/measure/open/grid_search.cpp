#include "profiler/measure/open/grid_search.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

namespace tilescope {
namespace {

constexpr std::uint32_t most_blocks = 1U << 16U;
constexpr std::uint32_t most_blocks_beyond_x = 1U << 12U;
constexpr std::uint32_t unguarded_blocks = 64, unguarded_blocks_beyond_x = 4;

// The least count n for which block n does not store; none where all up to `most` do.
std::optional<std::uint32_t> least_idle(std::uint32_t most,
                                        const std::function<bool(std::uint32_t)>& stores_at) {
  if (!stores_at(0)) return 1;
  std::uint32_t busy = 0, idle = 1;
  while (idle < most && stores_at(idle)) {
    busy = idle;
    idle *= 2;
  }
  if (idle >= most) return std::nullopt;
  while (idle - busy > 1) {
    const std::uint32_t middle = busy + (idle - busy) / 2;
    (stores_at(middle) ? busy : idle) = middle;
  }
  return idle;
}

}  // namespace

FoundGrid find_grid(const GridAxes& axes,
                    const std::function<bool(const simt::Dimensions& grid, std::uint64_t block)>& stores) {
  const std::array<bool, 3> is_used = {true, axes.y, axes.z};
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  std::string unguarded;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_used[axis]) continue;
    const std::uint32_t most = axis == 0 ? most_blocks : most_blocks_beyond_x;
    std::array<std::uint32_t, 3> whole = {1, 1, 1};
    whole[axis] = most;
    const auto found = least_idle(most, [&](std::uint32_t at) {
      return stores({whole[0], whole[1], whole[2]}, at);
    });
    size[axis] = found.value_or(axis == 0 ? unguarded_blocks : unguarded_blocks_beyond_x);
    if (!found) unguarded += fmt::format("{}{}", unguarded.empty() ? "" : " and ", "xyz"[axis]);
  }
  FoundGrid grid{{size[0], size[1], size[2]}, "blocks beyond it store nothing", unguarded.empty()};
  if (!unguarded.empty())
    grid.reason =
        fmt::format("no launch is in the file, and along {} every block stores: a few blocks", unguarded);
  return grid;
}

}  // namespace tilescope
