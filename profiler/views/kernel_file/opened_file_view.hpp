#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"
#include "profiler/views/kernel_file/kernel_rows.hpp"
#include "profiler/views/kernel_file/line_figures.hpp"
#include "profiler/views/memory/access_sites.hpp"
#include "sessions/source_file.hpp"
#include "sessions/views/model/prediction_parts.hpp"
#include "sessions/views/points/complaints.hpp"
#include "sessions/views/points/point_details.hpp"

namespace tilescope {

/// An access of the kernel, as a row of a table.
struct FileSiteRow {
  /// "17"; "helper.cuh:84" in another file.
  std::string place;
  /// "ld.shared of tile, 4 B"
  std::string access;
  /// "32-way" for shared memory, "8.0" sectors per request for global memory.
  std::string rate;
  std::string cost, minimum, excess;
  bool has_excess = false;
  /// The line of the source, without its indent; "" where it is unknown.
  std::string source;
  /// "LDS R4, [R2]"
  std::string help;
  /// For a recorded block.
  RecordedSite site;
};

/// Contents of a panel about an opened file.
struct OpenedFileView {
  OpenedPoint point;
  std::vector<KernelRow> kernels;
  /// A sentence where nothing could be executed, which stands in the place of the point; else "".
  std::string problem;
  std::vector<Complaint> complaints;
  /// Causes of costs; what the findings say is left out.
  std::vector<Diagnosis> diagnoses;
  std::size_t faults = 0;
  /// "Executed, result not checked; 1 fault"
  std::string status;
  /// "No findings in all 8 blocks."; "" where the checkers did not run to the end.
  std::string check_words;
  std::optional<PartsView> parts;
  /// "and 4 smaller parts, 12.3 µs": beyond the largest, which `parts` lists by their size; "" for none.
  std::string further_parts;
  /// Why there is no prediction, a sentence; "" beside `parts`.
  std::string why_not_predicted;
  /// Resources and occupancy.
  std::vector<DetailSection> sections;
  /// Worst first.
  std::vector<FileSiteRow> shared_sites, global_sites;
  /// Accesses beyond those rows.
  std::size_t further_shared_sites = 0, further_global_sites = 0;
  /// "counted in 5 of 128 blocks ..."
  std::string counts_origin, sample_words;
  /// The faults that were looked for, then the notes of the point.
  std::vector<std::string> notes;
  /// Files that the machine code names, as far as they were found, and the figures of their lines.
  SourceFile source;
  std::vector<LineFigures> files;
};

/// Reads the sources beside the file by their names: line information may have the paths of another machine.
OpenedFileView opened_file_view(OpenedPoint point, const std::filesystem::path& file);

}  // namespace tilescope
