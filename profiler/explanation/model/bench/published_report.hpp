#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// How far predictions are from what others measured and published (published/README.md).
namespace tilescope::model {

/// A shape on a device.
struct PublishedCase {
  std::string device, shape;
  /// [us] The median of what was published, of `count` measurements, and the largest over the smallest.
  double published = 0, spread = 1;
  std::size_t count = 0;
  /// [us]
  double predicted = 0;

  /// |predicted / published - 1|
  double error() const;
  /// Whether it lies in the band of attention on a device that was not fitted.
  bool is_inside() const;
};

/// Joins attention.csv and predictions.csv of a folder; shapes without a prediction are left out. Throws
/// std::runtime_error where one of them cannot be read.
std::vector<PublishedCase> read_published(const std::filesystem::path& folder);

/// A row for each device, and one for all; with `cases` a row for each case too.
void print_published(const std::vector<PublishedCase>& published, bool with_cases);

}  // namespace tilescope::model
