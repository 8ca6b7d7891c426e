#include "profiler/views/step/softmax_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text/format.hpp"
#include "profiler/views/memory/number_lists.hpp"
#include "profiler/views/step/softmax_text.hpp"
#include "profiler/views/step/tiles_plane.hpp"

namespace tilescope {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_elements = 8;
// Beyond what float16 and bfloat16 round off values of about 1.
constexpr double large_error = 0.02;

SoftmaxTile tile_row(const RowTile& tile, const RowTile* before, std::size_t number) {
  SoftmaxTile row;
  row.largest = value_or_dash(largest_score(tile));
  row.m = value_or_dash(tile.m);
  row.l = value_or_dash(tile.l);
  row.rescale = value_or_dash(tile.rescale);
  row.error = tile.output.empty() ? "-" : std::isnan(tile.error) ? "NaN" : format_error(tile.error);
  row.text = tile_text(tile, before, number);
  row.is_wrong = !tile.output.empty() && !(tile.error <= large_error);
  return row;
}

SoftmaxPart part_view(const RowPart& part, std::uint64_t slot) {
  SoftmaxPart view;
  view.warp = part.warp;
  const auto is_reached = [&](const RowTile& tile) { return tile.slot <= slot; };
  const auto reached = static_cast<std::size_t>(
      std::find_if_not(part.tiles.begin(), part.tiles.end(), is_reached) - part.tiles.begin());
  view.now = reached == 0 ? part.tiles.size() : reached - 1;
  view.tiles.reserve(part.tiles.size());
  for (std::size_t i = 0; i < part.tiles.size(); ++i) {
    const RowTile& tile = part.tiles[i];
    SoftmaxTile row;
    if (i < reached) {
      row = tile_row(tile, i == 0 ? nullptr : &part.tiles[i - 1], i + 1);
      row.state = i == view.now ? SoftmaxTile::State::now : SoftmaxTile::State::done;
      const auto finite = [](double value) { return std::isfinite(value) ? value : nan; };
      view.numbers.push_back(static_cast<double>(i + 1));
      view.m.push_back(finite(tile.m));
      view.l.push_back(finite(tile.l));
      view.exact_m.push_back(finite(tile.exact_m));
      // Rescaled to the same maximum: a kernel that does not rescale with every rise has another l for the same
      // weights.
      const double same_m = tile.exact_l * std::exp(tile.exact_m - tile.m);
      view.exact_l.push_back(finite(std::isfinite(same_m) ? same_m : tile.exact_l));
    }
    row.slot = tile.slot;
    row.number = std::to_string(i + 1);
    row.keys = tile.keys == 1
                   ? format_count(tile.first_key)
                   : format_count(tile.first_key) + " to " + format_count(tile.first_key + tile.keys - 1);
    view.tiles.push_back(std::move(row));
  }
  return view;
}

ScoreStrip strip_of(const RowTile& tile) {
  ScoreStrip strip;
  strip.first_key = tile.first_key;
  strip.scores = tile.scores;
  bool has_any = false;
  for (const double score : tile.scores) {
    if (std::isnan(score)) {
      ++strip.unnamed;
    } else if (!std::isfinite(score)) {
      ++strip.masked;
    } else {
      strip.least = has_any ? std::min(strip.least, score) : score;
      strip.largest = has_any ? std::max(strip.largest, score) : score;
      has_any = true;
    }
  }
  return strip;
}

SoftmaxOutput output_of(const std::vector<double>& kernel, const std::vector<double>& exact, double error,
                        std::string heading) {
  SoftmaxOutput output;
  output.heading = std::move(heading);
  output.error = error;
  output.columns = static_cast<std::int64_t>(kernel.size());
  for (std::size_t i = 0; i < std::min({most_elements, kernel.size(), exact.size()}); ++i)
    output.elements.push_back({static_cast<std::int64_t>(i), kernel[i], exact[i]});
  return output;
}

double difference(const std::vector<double>& kernel, const std::vector<double>& exact) {
  if (kernel.empty() || kernel.size() != exact.size()) return nan;
  double largest = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const double one = std::abs(kernel[i] - exact[i]);
    if (std::isnan(one)) return nan;
    largest = std::max(largest, one);
  }
  return largest;
}

std::vector<std::string> row_notes(const StepRowHistory& history, const Shape& shape) {
  std::vector<std::string> notes;
  if (last_visible_key(shape, history.row) < 0) {
    notes.emplace_back(
        "The causal mask hides all keys of this row: m stays -inf and l stays 0. exp(-inf - (-inf)) would be "
        "NaN, and 0 / 0 "
        "too, so that a kernel must ask for this case; the output of such a row is zeros.");
  }
  if (history.parts.size() > 1) {
    notes.push_back(
        fmt::format("{} keep an m and an l of their own for this row: each sees a part of the keys, and the "
                    "parts are merged at the end.",
                    counted_noun(static_cast<std::int64_t>(history.parts.size()), "warp")));
  }
  return notes;
}

}  // namespace

SoftmaxView softmax_view(const StepRowHistory& history, const Shape& shape, std::uint64_t slot,
                         std::size_t part, bool at_end) {
  SoftmaxView view;
  view.heading = fmt::format("Row {}", format_count(history.row));
  if (!history.rows.empty())
    view.heading += ", of " + counted_list("row", history.rows) + " that the block's probes name";
  view.notes = row_notes(history, shape);
  if (history.worst_row >= 0)
    view.worst =
        fmt::format("Row {}: its output is farthest from float64, {}", format_count(history.worst_row),
                    std::isnan(history.worst_error) ? "NaN" : format_error(history.worst_error));
  view.parts.reserve(history.parts.size());
  for (const RowPart& one : history.parts) view.parts.push_back(part_view(one, slot));
  view.naive = naive_softmax(history);
  const bool has_tile = part < view.parts.size() && view.parts[part].now < view.parts[part].tiles.size();
  if (has_tile) {
    const RowTile& tile = history.parts[part].tiles[view.parts[part].now];
    view.strip = strip_of(tile);
    view.output = output_of(tile.output, tile.exact_output, tile.output.empty() ? nan : tile.error,
                            fmt::format("Output after tile {}", view.parts[part].now + 1));
  }
  if (at_end && !history.output.empty())
    view.output =
        output_of(history.output, history.exact_output, difference(history.output, history.exact_output),
                  "Output in memory, at the end of the block");
  return view;
}

std::string softmax_csv(const SoftmaxView& view) {
  std::string csv = "warp,tile,keys,slot,max_score,m,l,rescale,error\n";
  for (const SoftmaxPart& part : view.parts) {
    for (const SoftmaxTile& tile : part.tiles) {
      csv += fmt::format("{},{},\"{}\",{},{},{},{},{},{}\n", part.warp, tile.number, tile.keys, tile.slot,
                         tile.largest, tile.m, tile.l, tile.rescale, tile.error);
    }
  }
  return csv;
}

std::int64_t neighbour_row(const std::vector<std::int64_t>& rows, std::int64_t row, int direction) {
  if (direction < 0) {
    const auto here = std::lower_bound(rows.begin(), rows.end(), row);
    return here == rows.begin() ? row : *std::prev(here);
  }
  const auto behind = std::upper_bound(rows.begin(), rows.end(), row);
  return behind == rows.end() ? row : *behind;
}

Shape all_masked_shape(Shape shape) {
  shape.causal = true;
  if (shape.Sq < 2) shape.Sq = 2;
  // Not at the edge of a query tile of 8 rows or more.
  if (shape.Sk >= shape.Sq) shape.Sk = shape.Sq / 2 + (shape.Sq < 32 ? 0 : 4);
  return shape;
}

std::int64_t masked_rows(const Shape& shape) {
  return shape.causal ? std::max<std::int64_t>(0, shape.Sq - shape.Sk) : 0;
}

std::vector<std::uint64_t> blocks_to_try(const LaunchGeometry& launch, const Shape& shape,
                                         std::int64_t block_m, std::int64_t row) {
  if (block_m == 0) block_m = (shape.Sq + launch.grid_x - 1) / launch.grid_x;
  const std::int64_t tiles = (shape.Sq + block_m - 1) / block_m, tile = row / block_m;
  const std::int64_t heads = shape.Hq * shape.B;
  std::vector<std::uint64_t> blocks;
  for (const std::int64_t block : {tile * launch.block_group, (tiles - 1 - tile) * heads}) {
    if (block >= launch.blocks()) continue;
    const auto index = static_cast<std::uint64_t>(block);
    if (std::find(blocks.begin(), blocks.end(), index) == blocks.end()) blocks.push_back(index);
  }
  return blocks;
}

}  // namespace tilescope
