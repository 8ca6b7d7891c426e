#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "profiler/step/exact_row.hpp"
#include "profiler/step/stepped_block.hpp"

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
};

/// Collects the probes of one row by warp, the tiles that each warp began, and which rows there are.
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
        by_warp[warp.index()].push_back({stepper_.slot(), probe.name, first[lane], value[lane]});
        return;
      }
      rows.insert(first[lane]);
      if (first[lane] != row_) continue;
      by_warp[warp.index()].push_back(
          {stepper_.slot() + 1, probe.name, second == nullptr ? 0 : second[lane], value[lane]});
    }
  }

  std::map<int, std::vector<Named>> by_warp;
  std::set<std::int64_t> rows;

 private:
  std::int64_t row_ = 0;
  const simt::BlockStepper& stepper_;
};

/// Puts the values of one warp into tiles. A value that follows the scores of a tile belongs to the tile whose turn it
/// is: the n-th maximum that is named is that of the n-th tile with scores.
class PartReader {
 public:
  PartReader(std::int64_t columns, bool is_log2)
      : columns_(columns), unit_(is_log2 ? std::numbers::ln2 : 1) {}

  void take(const Named& named) {
    if (named.name == "tile") {
      tiles_.push_back(empty_tile(named.second, static_cast<std::int64_t>(named.value)));
    } else if (named.name.starts_with("score")) {
      take_score(named);
    } else if (named.name.starts_with("m")) {
      if (has_maximum_) ++current_;
      has_maximum_ = true;
      sums_.clear();
      tile(named.slot).m = named.value * unit_;
    } else if (named.name == "l") {
      sums_[named.second] = named.value;
      double sum = 0;
      for (const auto& [part, value] : sums_) sum += value;
      tile(named.slot).l = sum;
    } else if (named.name == "rescale") {
      rescale_ = named.value;
      if (has_maximum_) tile(named.slot).rescale = named.value;
    } else if (named.name == "o" && named.second >= 0 && named.second < columns_) {
      auto& output = tile(named.slot).output;
      output.resize(static_cast<std::size_t>(columns_), nan);
      output[static_cast<std::size_t>(named.second)] = named.value;
    }
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

  // A kernel without tiles has one.
  RowTile& tile(std::uint64_t slot) {
    if (tiles_.empty()) tiles_.push_back(empty_tile(0, 0));
    RowTile& tile = tiles_[std::min(current_, tiles_.size() - 1)];
    tile.slot = std::max(tile.slot, slot);
    return tile;
  }

  void take_score(const Named& named) {
    if (tiles_.empty()) tiles_.push_back(empty_tile(0, 0));
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
  std::size_t current_ = 0;
  bool has_maximum_ = false;
  double rescale_ = 0;
  std::map<std::int64_t, double> sums_;  // by part
};

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
      // Where warps share the keys of a tile, those of this warp are the ones that it names.
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
  stepper_.go_to(0);
  stepper_.go_to(stepper_.slots(), &all);
  history.rows.assign(all.rows.begin(), all.rows.end());
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
    if (one < 0 || one >= launch_.sizes.Sq) continue;
    const ExactRow exact(launch_.sizes, launch_.inputs, head, one);
    const double error = largest_difference(output.row(one), exact.all_keys().output());
    const bool is_worse = history.worst_row < 0 || error > history.worst_error || std::isnan(error);
    if (!is_worse || std::isnan(history.worst_error)) continue;
    history.worst_row = one;
    history.worst_error = error;
  }
  if (row < 0) row = history.worst_row;
  history.row = row;
  if (!all.rows.contains(row) || row < 0 || row >= launch_.sizes.Sq) {
    history.missing = fmt::format("The block does not compute row {}: its rows are {} to {}.", row,
                                  history.rows.front(), history.rows.back());
    stepper_.go_to(back);
    return history;
  }
  RowProbes probes(row, stepper_);
  stepper_.go_to(0);
  stepper_.go_to(stepper_.slots(), &probes);
  const ExactRow exact(launch_.sizes, launch_.inputs, head, row);
  for (const auto& [warp, values] : probes.by_warp) {
    const bool names_row =
        std::ranges::any_of(values, [](const Named& named) { return named.name != "tile"; });
    if (!names_row) continue;
    const bool is_log2 =
        std::ranges::any_of(values, [](const Named& named) { return named.name.ends_with("_log2"); });
    PartReader reader(launch_.sizes.D, is_log2);
    for (const Named& named : values) reader.take(named);
    history.parts.push_back({warp, reader.finish()});
    add_exact(exact, history.parts.back().tiles);
  }
  history.output = output.row(row);
  history.exact_output = exact.all_keys().output();
  history.naive_sum = naive_sum_of(history.parts);
  stepper_.go_to(back);
  return history;
}

}  // namespace tilescope
