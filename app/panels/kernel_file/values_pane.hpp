#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/tried_values.hpp"
#include "profiler/views/kernel_file/varied_rows.hpp"

namespace tilescope {

/// Executes an opened kernel with several values of a constant or of a part of its launch, and holds the points side by
/// side.
class ValuesPane {
 public:
  /// Marks "kernel_file.vary", "kernel_file.vary.WHAT", "kernel_file.values", "kernel_file.try" or
  /// "kernel_file.stop", "kernel_file.tried.VALUE", "kernel_file.fastest", "kernel_file.keep_tried".
  void draw(OpenedFile& opened, TriedValues& tried);

 private:
  void draw_choice(const std::vector<VariedRow>& rows, TriedValues& tried);
  void choose(const VariedRow& row);

  /// As LaunchRow::what; "" before the first choice.
  std::string what_;
  std::string values_;
};

}  // namespace tilescope
