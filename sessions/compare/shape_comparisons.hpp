#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/compare/comparison.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// A shape at which a session has no point of a side.
struct ShapeNotCompared {
  Shape shape;
  /// A sentence.
  std::string reason;
};

/// Two sides at several shapes.
struct ShapeComparisons {
  /// In the order of the shapes.
  std::vector<Comparison> comparisons;
  std::vector<ShapeNotCompared> not_compared;

  std::size_t shapes() const { return comparisons.size() + not_compared.size(); }
};

/// The geometric mean of the ratios p50(A) / p50(B), each shape with the same weight.
struct MeanRatio {
  double value = 1;
  /// How many comparisons have a ratio.
  std::size_t ratios = 0;
  /// The basis of all comparisons; none if they rest on different latencies.
  std::optional<Basis> basis;
};
/// Nothing where no comparison has a ratio.
std::optional<MeanRatio> mean_ratio(const ShapeComparisons& compared);

/// A row for each shape, as texts.
struct ShapeComparisonsTable {
  /// "flash_scalar SMEM_LAYOUT=row_major"; the kernel alone where its parameters differ between shapes.
  std::string a, b;
  /// Settings common to all shapes, with the device: "S512 D64 fp16 on L4".
  std::string common;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  /// "Geometric mean of 6 ratios: 1.234, B is faster. FASTER at 5 shapes, UNDECIDED at 1."
  std::string summary;
  /// Remarks for the reader, in sentences, each once.
  std::vector<std::string> remarks;
};
/// Whether a column of this header holds words rather than numbers.
bool is_text_column(const std::string& header);
ShapeComparisonsTable shape_comparisons_table(const ShapeComparisons& compared);

/// The lines whose predicted time changes at one shape.
struct ShapeLines {
  /// Into ShapeComparisons::comparisons.
  std::size_t comparison = 0;
  /// "Lines whose predicted time changes at B2 H8 S512 D64 fp16, where the difference is largest"
  std::string heading;
  LineChanges changes;
};
/// The shape with the largest difference in time, among the shapes that have such lines; nothing where no difference is
/// decided.
/// `sources`: by comparison, here and below.
std::optional<ShapeLines> lines_of_largest_difference(const ShapeComparisons& compared,
                                                      std::span<const SideSources> sources);

std::string shape_comparisons_markdown(const ShapeComparisons& compared,
                                       std::span<const SideSources> sources = {});

/// As "shape_comparisons" in sessions/schema.json.
Json shape_comparisons_to_json(const ShapeComparisons& compared, std::span<const SideSources> sources = {});

}  // namespace tilescope
