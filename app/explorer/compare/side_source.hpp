#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "profiler/views/code/source_diff.hpp"
#include "sessions/measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// Places to look for the source of a side.
struct WantedSource {
  Side side = Side::a;
  /// As the catalogue or the point names it.
  std::string kernel;
  KernelMacros macros;
  /// The point whose source, as it was when compiled, is wanted; nullptr for the present file.
  SharedMeasurement point;
  /// The point's source by its hash, from an open session or the compiler's store.
  std::optional<SourceFile> kept;
  /// The kernel's file now; empty where the catalogue does not have the kernel.
  std::filesystem::path file;
  std::filesystem::path kernels_folder;
  /// Why there is no source: a library launches the kernel.
  std::string why_none;

  bool operator==(const WantedSource&) const = default;
};

/// The CUDA source of a side of the comparison.
struct SideSource {
  /// None where there is no source; `missing` then says why and what to do.
  std::optional<MacroSource> compiled;
  MissingAnswer missing;
  /// Remark to read before the text; "" for a file as it is now.
  std::string remark;
  /// The text differs from the point's source, or the point's source is unknown.
  bool is_doubtful = false;
};

/// Whether a source with this hash differs from the point's source, or the point's source is unknown.
bool is_doubtful(const Measurement& point, const std::string& sha256);
/// Sentence for the case that the kernel's present file stands in for the source of such a point.
std::string present_file_words(const Measurement& point);

/// Reads the file if necessary. If the present file stands in for a point's source that differs, the result
/// says so.
SideSource find_side_source(const WantedSource& wanted);

}  // namespace tilescope
