#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "profiler/execution/step/exact_row.hpp"
#include "profiler/execution/step/stepped_block.hpp"

// The online softmax of one row, from the probes of the kernel.
namespace tilescope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One value that a probe named.
struct Named {
  std::uint64_t slot = 0;
  std::string name;
  std::int64_t second = 0;  // key, column or part
  double value = 0;
  /// Tiles that its warp had begun, counted from 0: -1 before the first.
  std::int64_t tile = -1;
};

struct BegunTile {
  std::int64_t first_key = 0, keys = 0;
};

/// Collects the probes of one row, and which rows there are.
class RowProbes : public simt::Observer {
 public:
  RowProbes(std::int64_t row, const simt::BlockStepper& stepper) : row_(row), stepper_(stepper) {}

  void probe(const simt::Warp& warp, const simt::Probe& probe) override {
    if (probe.indices.empty()) return;
    const bool is_tile = probe.name == "tile";
    const auto* first = warp.read<std::int32_t>(probe.indices[0]);
    const auto* second = probe.indices.size() > 1 ? warp.read<std::int32_t>(probe.indices[1]) : nullptr;
    const auto* value = warp.read<float>(probe.value);
    for (simt::LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (is_tile) {
        // Once a warp: all lanes name the same tile.
        tiles[warp.index()].push_back({first[lane], static_cast<std::int64_t>(value[lane])});
        return;
      }
      rows.insert(first[lane]);
      if (first[lane] != row_) continue;
      by_warp[warp.index()].push_back({stepper_.slot() + 1, probe.name, second == nullptr ? 0 : second[lane],
                                       value[lane],
                                       static_cast<std::int64_t>(tiles[warp.index()].size()) - 1});
    }
  }

  std::map<int, std::vector<BegunTile>> tiles;
  std::map<int, std::vector<Named>> by_warp;
  std::set<std::int64_t> rows;

 private:
  std::int64_t row_ = 0;
  const simt::BlockStepper& stepper_;
};

/// Puts the values of a row into tiles: scores by their key, everything else into the tile that its warp had begun.
class PartReader {
 public:
  PartReader(std::int64_t columns, bool is_log2, const std::vector<BegunTile>& tiles)
      : columns_(columns), unit_(is_log2 ? std::numbers::ln2 : 1) {
    tiles_.reserve(tiles.size() + 1);
    for (const BegunTile& tile : tiles) tiles_.push_back(empty_tile(tile.first_key, tile.keys));
    if (tiles_.empty()) tiles_.push_back(empty_tile(0, 0));  // a kernel without tiles has one
  }

  void take(const Named& named) {
    if (named.name.starts_with("score")) return take_score(named);
    RowTile& tile = tile_of(named);
    if (named.name.starts_with("m")) {
      tile.m = named.value * unit_;
    } else if (named.name == "l") {
      // The parts of a sum are named anew in each tile.
      if (sums_of_ != &tile) sums_.clear();
      sums_of_ = &tile;
      sums_[named.second] = named.value;
      tile.l = 0;
      for (const auto& [part, value] : sums_) tile.l += value;
    } else if (named.name == "rescale") {
      tile.rescale = named.value;
    } else if (named.name == "o" && named.second >= 0 && named.second < columns_) {
      tile.output.resize(static_cast<std::size_t>(columns_), nan);
      tile.output[static_cast<std::size_t>(named.second)] = named.value;
    } else {
      return;
    }
    tile.slot = std::max(tile.slot, named.slot);
  }

  std::vector<RowTile> finish() {
    std::erase_if(tiles_, [](const RowTile& tile) { return tile.slot == 0; });
    for (RowTile& tile : tiles_) {
      // An l of 0 is a row that saw no key yet: its output is zeros.
      const double inverse = tile.l > 0 ? 1 / tile.l : (tile.l == 0 ? 0 : nan);
      for (double& value : tile.output) value *= inverse;
    }
    return std::move(tiles_);
  }

 private:
  static RowTile empty_tile(std::int64_t first_key, std::int64_t keys) {
    RowTile tile;
    tile.first_key = first_key;
    tile.keys = keys;
    tile.scores.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(keys, 0, 1 << 16)), nan);
    tile.m = tile.l = tile.rescale = tile.error = nan;
    return tile;
  }

  RowTile& tile_of(const Named& named) {
    const auto last = static_cast<std::int64_t>(tiles_.size()) - 1;
    return tiles_[static_cast<std::size_t>(std::clamp<std::int64_t>(named.tile, 0, last))];
  }

  void take_score(const Named& named) {
    // The newest tile that has the key.
    for (auto tile = tiles_.rbegin(); tile != tiles_.rend(); ++tile) {
      const std::int64_t place = named.second - tile->first_key;
      const bool grows = tile->keys == 0 && place >= 0 && place < 1 << 20;
      if (!grows && (place < 0 || place >= tile->keys)) continue;
      const auto at = static_cast<std::size_t>(place);
      if (at >= tile->scores.size()) tile->scores.resize(at + 1, nan);
      tile->scores[at] = named.value * unit_;
      tile->slot = std::max(tile->slot, named.slot);
      return;
    }
  }

  std::int64_t columns_ = 0;
  double unit_ = 1;
  std::vector<RowTile> tiles_;
  std::map<std::int64_t, double> sums_;  // by part
  const RowTile* sums_of_ = nullptr;
};

/// The values of a row that belong together.
struct Part {
  int warp = 0;
  std::vector<Named> values;
};

// Where several warps keep a maximum of the row they share its keys, and each is a part. Else the row is one part, also
// where one warp computes its scores and another one its output.
std::vector<Part> parts_of(const RowProbes& probes) {
  std::vector<Part> parts;
  for (const auto& [warp, values] : probes.by_warp) {
    const bool keeps_maximum =
        std::ranges::any_of(values, [](const Named& named) { return named.name.starts_with("m"); });
    if (keeps_maximum) parts.push_back({warp, values});
  }
  if (parts.size() > 1) return parts;
  Part all;
  all.warp =
      parts.empty() ? (probes.by_warp.empty() ? 0 : probes.by_warp.begin()->first) : parts.front().warp;
  for (const auto& [warp, values] : probes.by_warp)
    all.values.insert(all.values.end(), values.begin(), values.end());
  std::ranges::stable_sort(all.values, {}, &Named::slot);
  return {all};
}

double largest_difference(const std::vector<double>& values, const std::vector<double>& exact) {
  if (values.empty()) return nan;
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = std::abs(values[i] - exact[i]);
    if (!(difference <= largest)) largest = difference;  // also NaN
    if (std::isnan(difference)) return nan;
  }
  return largest;
}

void add_exact(const ExactRow& exact, std::vector<RowTile>& tiles) {
  ExactSums sums(exact);
  for (RowTile& tile : tiles) {
    if (tile.keys == 0) tile.keys = static_cast<std::int64_t>(tile.scores.size());
    const bool names_scores =
        std::ranges::any_of(tile.scores, [](double score) { return !std::isnan(score); });
    for (std::int64_t i = 0; i < tile.keys; ++i) {
      // If warps split a tile's keys, use the keys that this warp names.
      const auto at = static_cast<std::size_t>(i);
      const bool is_own = !names_scores || (at < tile.scores.size() && !std::isnan(tile.scores[at]));
      if (is_own) sums.add(tile.first_key + i);
    }
    tile.exact_m = sums.m();
    tile.exact_l = sums.l();
    tile.exact_output = sums.output();
    tile.error = largest_difference(tile.output, tile.exact_output);
  }
}

// exp without the maximum subtracted, in the arithmetic of a GPU.
double naive_sum_of(const std::vector<RowPart>& parts) {
  float sum = 0;
  for (const RowPart& part : parts) {
    for (const RowTile& tile : part.tiles) {
      for (const double score : tile.scores) {
        if (!std::isnan(score)) sum += std::exp(static_cast<float>(score));
      }
    }
  }
  return sum;
}

}  // namespace

StepRowHistory SteppedBlock::row(std::int64_t row) {
  StepRowHistory history;
  const std::uint64_t back = stepper_.slot();
  RowProbes all(-1, stepper_);
  stepper_.replay(all);
  for (const std::int64_t named : all.rows) {
    // A tile may reach beyond the last query.
    if (named >= 0 && named < launch_.sizes.Sq) history.rows.push_back(named);
  }
  const std::optional<std::uint64_t> query = events_.first_query_byte();
  if (history.rows.empty() || !query) {
    history.missing = events_.has_probes()
                          ? "The kernel's probes name no row: add probe(\"m\", row, value) and the like."
                          : "The kernel names no values for this panel. device/probe.cuh says how: "
                            "probe(\"m\", row, value).";
    stepper_.go_to(back);
    return history;
  }
  const auto head = static_cast<std::int64_t>(*query / 2) / (launch_.sizes.D * launch_.sizes.Sq);
  const OutputRows output(launch_.sizes, launch_.memory, head);
  for (const std::int64_t one : history.rows) {
    const std::vector<double> written = output.row(one);
    if (written.empty()) continue;
    const ExactRow exact(launch_.sizes, launch_.inputs, head, one);
    const double error = largest_difference(written, exact.all_keys().output());
    const bool is_worse = history.worst_row < 0 || error > history.worst_error || std::isnan(error);
    if (!is_worse || std::isnan(history.worst_error)) continue;
    history.worst_row = one;
    history.worst_error = error;
  }
  if (row < 0) row = history.worst_row < 0 ? history.rows.front() : history.worst_row;
  history.row = row;
  if (std::ranges::find(history.rows, row) == history.rows.end()) {
    history.missing = fmt::format("The block does not compute row {}: its rows are {} to {}.", row,
                                  history.rows.front(), history.rows.back());
    stepper_.go_to(back);
    return history;
  }
  RowProbes probes(row, stepper_);
  stepper_.replay(probes);
  const ExactRow exact(launch_.sizes, launch_.inputs, head, row);
  for (const Part& part : parts_of(probes)) {
    const auto is_log2 = [](const Named& named) { return named.name.ends_with("_log2"); };
    PartReader reader(launch_.sizes.D, std::ranges::any_of(part.values, is_log2), probes.tiles[part.warp]);
    for (const Named& named : part.values) reader.take(named);
    history.parts.push_back({part.warp, reader.finish()});
    add_exact(exact, history.parts.back().tiles);
  }
  history.output = output.row(row);
  history.exact_output = exact.all_keys().output();
  history.naive_sum = naive_sum_of(history.parts);
  stepper_.go_to(back);
  return history;
}

}  // namespace tilescope
