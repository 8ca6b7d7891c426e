#include "profiler/views/step/softmax_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text/format.hpp"
#include "profiler/views/step/tiles_plane.hpp"

namespace tilescope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether two values that a kernel keeps in float are the same.
bool is_close(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-5 * std::max({1.0, std::abs(a), std::abs(b)});
}

std::string first_text(const RowTile& tile, double largest) {
  if (largest == -infinity && tile.m == -infinity)
    return "All keys of the tile are masked: m stays -inf and l stays 0.";
  std::string text = fmt::format("m begins at {}", value_words(tile.m));
  if (is_close(tile.m, largest)) text += ", the largest score of the tile";
  if (!std::isnan(tile.l)) text += fmt::format("; l, the sum of exp(score - m), is {}", value_words(tile.l));
  return text + ".";
}

std::string rise_text(const RowTile& tile, const RowTile& before) {
  if (before.m == -infinity)
    return fmt::format("m rose from -inf to {}: the first key that the row sees.", value_words(tile.m));
  const double factor = std::exp(before.m - tile.m);
  std::string text = fmt::format("m rose from {} to {}, so what was summed is multiplied by {}",
                                 value_words(before.m), value_words(tile.m), value_words(factor));
  if (!std::isnan(tile.rescale) && std::abs(tile.rescale - factor) > 1e-3 * std::max(factor, 1e-3))
    text += fmt::format("; the kernel multiplied by {}", value_words(tile.rescale));
  return text + ".";
}

std::string stay_text(const RowTile& tile, double largest) {
  if (largest == -infinity)
    return fmt::format("All keys of the tile are masked: m stays {}.", value_words(tile.m));
  if (largest > tile.m && !is_close(largest, tile.m))
    return fmt::format(
        "m stays {} though a score reaches {}: this kernel does not rescale with every rise. It cancels in "
        "the output, as l and the output share the factor.",
        value_words(tile.m), value_words(largest));
  return fmt::format("m stays {}: no score of the tile is larger, and nothing is rescaled.",
                     value_words(tile.m));
}

std::string sum_text(const RowTile& tile, const RowTile& before) {
  if (std::isnan(tile.l) || std::isnan(before.l)) return "";
  return fmt::format(" l goes from {} to {}.", value_words(before.l), value_words(tile.l));
}

// The first score whose exponential is infinite in float32, else the first tile at which the sum is.
struct Overflow {
  std::size_t tile = 0;
  /// -1 where the sum overflows, and no score alone.
  std::int64_t key = -1;
  double score = 0;
};

std::optional<Overflow> first_overflow(const StepRowHistory& history) {
  float sum = 0;
  for (const RowPart& part : history.parts) {
    for (std::size_t i = 0; i < part.tiles.size(); ++i) {
      const RowTile& tile = part.tiles[i];
      for (std::size_t k = 0; k < tile.scores.size(); ++k) {
        if (std::isnan(tile.scores[k])) continue;
        const float power = std::exp(static_cast<float>(tile.scores[k]));
        sum += power;
        if (std::isinf(power))
          return Overflow{i + 1, tile.first_key + static_cast<std::int64_t>(k), tile.scores[k]};
        if (std::isinf(sum)) return Overflow{i + 1, -1, tile.scores[k]};
      }
    }
  }
  return std::nullopt;
}

double largest_of(const StepRowHistory& history) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const RowPart& part : history.parts) {
    for (const RowTile& tile : part.tiles) largest = std::fmax(largest, largest_score(tile));
  }
  return largest;
}

}  // namespace

std::string value_words(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  return fmt::format("{:.4g}", value);
}

std::string value_or_dash(double value) {
  return std::isnan(value) ? "-" : value_words(value);
}

double largest_score(const RowTile& tile) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const double score : tile.scores) largest = std::fmax(largest, score);
  return largest;
}

std::string tile_text(const RowTile& tile, const RowTile* before, std::size_t number) {
  std::string text = fmt::format("Tile {}, {}: ", number, range_words("key", {tile.first_key, tile.keys}));
  const double largest = largest_score(tile);
  if (std::isnan(tile.m)) {
    text += "m is not named by a probe, or NaN.";
  } else if (before == nullptr || std::isnan(before->m)) {
    text += first_text(tile, largest);
  } else if (tile.m > before->m && !is_close(tile.m, before->m)) {
    text += rise_text(tile, *before) + sum_text(tile, *before);
  } else if (tile.m < before->m && !is_close(tile.m, before->m)) {
    text += fmt::format("m fell from {} to {}, which a running maximum never does.", value_words(before->m),
                        value_words(tile.m));
  } else {
    text += stay_text(tile, largest) + sum_text(tile, *before);
  }
  return text;
}

NaiveSoftmax naive_softmax(const StepRowHistory& history) {
  NaiveSoftmax naive;
  const double largest = largest_of(history);
  if (std::isnan(largest)) {
    naive.text = "Without scores named by probes nothing is known of softmax without the maximum.";
    return naive;
  }
  if (largest == -infinity) {
    naive.text = "Without the maximum: all scores are -inf, the sum of exp(score) is 0, and 0 / 0 is NaN.";
    return naive;
  }
  const auto overflow = first_overflow(history);
  naive.overflows = overflow.has_value();
  if (!overflow) {
    naive.text = fmt::format(
        "Without the maximum: the sum of exp(score) is {} in float32. The largest score is {}; exp overflows "
        "above "
        "{:.1f}.",
        value_words(history.naive_sum), value_words(largest), NaiveSoftmax::limit);
    return naive;
  }
  const std::string tile = fmt::format("tile {}", overflow->tile);
  naive.where = overflow->key < 0 ? tile : fmt::format("key {} ({})", format_count(overflow->key), tile);
  naive.text = overflow->key < 0
                   ? fmt::format(
                         "Without the maximum: no exp(score) alone overflows float32, but their sum does in "
                         "{}. inf is in the "
                         "denominator, and the output is 0.",
                         tile)
                   : fmt::format(
                         "Without the maximum: the score {} of {} is above {:.1f}, so that exp(score) is inf "
                         "in float32, and "
                         "inf / inf is NaN. With the maximum subtracted no exponent is above 0.",
                         value_words(overflow->score), naive.where, NaiveSoftmax::limit);
  return naive;
}

}  // namespace tilescope
