#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/tried_values.hpp"
#include "app/panels/kernel_file/tried_table.hpp"
#include "profiler/views/kernel_file/varied_rows.hpp"

namespace tilescope {

/// Executes an opened kernel with several values of constants or of parts of its launch, and holds the points side by side.
class ValuesPane {
 public:
  /// Marks "kernel_file.vary", "kernel_file.vary.WHAT" and "kernel_file.values" of the first row, with "vary_2" and
  /// "values_2" of the second; "kernel_file.vary_less_I", "kernel_file.vary_more", "kernel_file.try" or "kernel_file.stop",
  /// "kernel_file.fastest", "kernel_file.keep_tried", and TriedTable's.
  void draw(OpenedFile& opened, TriedValues& tried);

 private:
  /// A row that is to be varied, and its values as they are typed.
  struct Draft {
    /// As LaunchRow::what.
    std::string what;
    std::string values;
  };

  void follow(const std::vector<VariedRow>& rows);
  /// Returns whether Enter was pressed in a field.
  bool draw_drafts(const std::vector<VariedRow>& rows);
  void draw_name(const std::vector<VariedRow>& rows, std::size_t place, float width);
  void draw_buttons(const std::vector<VariedRow>& rows, TriedValues& tried, bool starts);
  const VariedRow* next_to_vary(const std::vector<VariedRow>& rows) const;
  bool is_drafted(const std::string& what) const;

  std::vector<Draft> drafts_;
  TriedTable table_;
};

}  // namespace tilescope
