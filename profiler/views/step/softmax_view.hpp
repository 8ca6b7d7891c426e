#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/service/requests/step_row.hpp"
#include "sessions/experiment.hpp"

/// The online softmax of one query row as a kernel's probes name it, up to the play head. All logits are natural, not of
/// base 2.
namespace tilescope {

/// A tile of keys as a row of a table.
struct SoftmaxTile {
  enum class State { done, now, not_yet };
  State state = State::not_yet;
  /// Where its values are known, and the play head goes on a click.
  std::uint64_t slot = 0;
  /// "1", "64 to 127"
  std::string number, keys;
  /// "3.412"; "-inf", "NaN"; "-" where no probe names it, and "" for a tile that is not yet reached.
  std::string largest, m, l, rescale, error;
  /// Changes of m, l and the output: sentences; "" for a tile that is not yet reached.
  std::string text;
  /// Whether m, l or the output is NaN, or the error beyond rounding.
  bool is_wrong = false;
};

/// Part of the row that one warp keeps.
struct SoftmaxPart {
  std::int64_t warp = 0;
  std::vector<SoftmaxTile> tiles;
  /// Into `tiles`: the newest that is reached; tiles.size() before the first.
  std::size_t now = 0;
  /// Running values by tile, up to the play head, for plots; NaN where they are not numbers.
  std::vector<double> numbers, m, l, exact_m, exact_l;
};

/// Scores of a tile as a strip, or as a plot.
struct ScoreStrip {
  std::int64_t first_key = 0;
  /// -inf where masked, NaN where not named.
  std::vector<double> scores;
  /// Ends of the finite scores; 0 for both where there are none.
  double least = 0, largest = 0;
  std::int64_t masked = 0, unnamed = 0;
};

/// An element of the output row: the kernel's and the exact value.
struct OutputElement {
  std::int64_t column = 0;
  double kernel = 0, exact = 0;
};
struct SoftmaxOutput {
  /// "Output after tile 3", "Final output"
  std::string heading;
  /// The first ones.
  std::vector<OutputElement> elements;
  /// Largest difference; NaN where the kernel's is NaN or not known.
  double error = 0;
  std::int64_t columns = 0;
};

/// Result of a softmax that does not subtract the maximum.
struct NaiveSoftmax {
  /// The largest x with exp(x) finite in float32: ln(3.4028e38).
  static constexpr double limit = 88.722839;
  bool overflows = false;
  /// Where: "key 37 (tile 1)"; "" where it does not.
  std::string where;
  /// Sentences.
  std::string text;
};

struct SoftmaxView {
  std::vector<SoftmaxPart> parts;
  /// Scores of the part that is shown.
  ScoreStrip strip;
  SoftmaxOutput output;
  NaiveSoftmax naive;
  /// "Row 5 of block rows 0 to 63"; notes on the row: masked wholly, divided among warps.
  std::string heading;
  std::vector<std::string> notes;
  /// "Worst row: 17, error 4.9e-04"; "" where no error is known.
  std::string worst;
};
/// `part` is the one whose scores and output are shown, into StepRowHistory::parts. With `at_end` the play head has
/// reached the end of the block: then the output is that in memory.
SoftmaxView softmax_view(const StepRowHistory& history, const Shape& shape, std::uint64_t slot,
                         std::size_t part, bool at_end);
std::string softmax_csv(const SoftmaxView& view);

/// The row before or behind `row` that the block has; `row` itself where there is none.
std::int64_t neighbour_row(const std::vector<std::int64_t>& rows, std::int64_t row, int direction);

/// A shape whose first rows see no key, as near to `shape` as possible: causal, with fewer keys than queries. The last of
/// these rows shares its query tile with rows that see keys: a block whose rows see none names nothing.
Shape all_masked_shape(Shape shape);
/// Rows that see no key: those below this number.
std::int64_t masked_rows(const Shape& shape);
/// Linear indices of the blocks that may compute a row, likely ones first: kernels take query tiles in their order, or
/// the last tile of all heads first. `block_m` is 0 where it is not known.
std::vector<std::uint64_t> blocks_to_try(const LaunchGeometry& launch, const Shape& shape,
                                         std::int64_t block_m, std::int64_t row);

/// "3.412", "-inf", "NaN", "1.2e+05", in four significant digits.
std::string value_words(double value);

}  // namespace tilescope
