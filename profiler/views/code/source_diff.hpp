#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/line_diff.hpp"
#include "profiler/kernels/catalogue/kernel_macros.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The compiler's input for one configuration: its source and the macros.
struct MacroSource {
  SourceFile source;
  KernelMacros macros;
};

/// A macro whose value differs; "" where a side does not have it.
struct MacroDifference {
  std::string name, left, right;

  bool operator==(const MacroDifference&) const = default;
};

/// A line of a file, or the name of one.
struct SourceDiffRow {
  DiffRow lines;
  /// Into SourceDiff::files.
  std::size_t file = 0;
  bool is_heading = false;
};

/// The kernel's own files against each other, then the files that go in with them, by name. A file that is equal and
/// names no macro of another value is its heading alone.
struct SourceDiff {
  /// "flash_scalar.cu", "naive.cu | tiled.cu"
  std::vector<std::string> files;
  std::vector<SourceDiffRow> rows;
  /// The text of each row.
  std::vector<std::string> texts;
  /// Lines of all files: equal ones, equal ones that name a macro whose value differs, and lines of one side.
  std::size_t same = 0, renamed = 0, removed = 0, added = 0;
  /// The first rows of the stretches that differ.
  std::vector<std::uint32_t> hunks;
  std::vector<MacroDifference> macros;

  bool is_same_text() const { return removed == 0 && added == 0; }
};

/// A on the left, B on the right.
SourceDiff source_diff(const MacroSource& left, const MacroSource& right);
/// "1,180 lines equal, ~ 12 of them name a macro that differs, - 84 only in A, + 556 only in B"; of one text twice what
/// differs instead.
std::string diff_summary(const SourceDiff& diff);
/// The macros that differ with their values on one side: "flash_scalar.cu -DBLOCK_M=32".
std::string left_command(const SourceDiff& diff, const SourceFile& source);
std::string right_command(const SourceDiff& diff, const SourceFile& source);
/// A line for each row: what it is, its file, its numbers on both sides from 1, and its text.
std::string diff_csv(const SourceDiff& diff);

}  // namespace tilescope
