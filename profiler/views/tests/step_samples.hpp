#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/service/requests/step.hpp"

/// Made-up stops and timelines.
namespace tilescope::samples {

/// B 1, Hq 2, Sq = Sk = 256, D 64.
inline Shape step_shape(bool causal) {
  Shape shape;
  shape.Hq = shape.Hkv = 2;
  shape.Sq = shape.Sk = 256;
  shape.causal = causal;
  return shape;
}

/// A block of 1000 slots in a grid of 4 query tiles by 2 heads.
inline StepStop step_stop(std::uint64_t slot) {
  StepStop stop;
  stop.slot = slot;
  stop.slots = 1000;
  stop.grid = {4, 2, 1};
  return stop;
}

/// A tile of keys begins every 100 slots, from 100 on.
inline StepTimeline step_timeline(const std::vector<std::int64_t>& first_keys, std::int64_t keys = 64) {
  StepTimeline timeline;
  timeline.slots = 1000;
  for (const std::int64_t first : first_keys) {
    StepMark mark;
    mark.slot = 100 * (timeline.tiles.size() + 1);
    mark.number = first;
    mark.keys = first < 0 ? 0 : keys;
    timeline.tiles.push_back(mark);
  }
  return timeline;
}

inline TileRowStop row_of(const std::string& tensor, std::int64_t row) {
  return {tensor, row, false};
}

/// `rows` rows of a tile: the first `held` ones are rows of a tensor from `first` on, the others unwritten.
inline TileStop step_tile(const std::string& name, std::int64_t rows, const std::string& tensor,
                          std::int64_t first, std::int64_t held) {
  TileStop tile;
  tile.name = name;
  tile.columns = 64;
  tile.element_bytes = 2;
  for (std::int64_t i = 0; i < rows; ++i)
    tile.rows.push_back(i < held ? row_of(tensor, first + i) : TileRowStop{"", -1, true});
  return tile;
}

}  // namespace tilescope::samples
