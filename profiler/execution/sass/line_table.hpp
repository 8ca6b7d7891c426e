#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope::sass {

/// A row holds for the instructions from its address to the next row's.
struct LineRow {
  /// [B] from the start of the section of code
  std::uint64_t address = 0;
  /// Index into LineTable::files, plus 1; 0 in .nv_debug_line_sass, where lines are PTX lines.
  std::size_t file = 0;
  std::uint32_t line = 0;
  /// Into LineTable::rows, plus 1: where the row is inlined; 0 for code of the function itself.
  std::size_t inlined_at = 0;
};

/// A line number program of DWARF 2, as ptxas writes it.
struct LineTable {
  /// With their folders.
  std::vector<std::string> files;
  /// Addresses ascend.
  std::vector<LineRow> rows;
};

/// Reads .debug_line or .nv_debug_line_sass of a cubin with one section of code. Nothing for a section that is not
/// understood, or that has several programs.
std::optional<LineTable> read_line_table(std::span<const char> section);

}  // namespace tilescope::sass
