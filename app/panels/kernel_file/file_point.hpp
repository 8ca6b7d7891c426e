#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/panels/code/source_lines.hpp"
#include "app/panels/model/model_bars.hpp"
#include "app/panels/points/kept_heights.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

struct FilePointAction {
  /// The access that was clicked.
  std::optional<RecordedSite> site;
  /// The line of an advice on bank conflicts, of which the layouts are wanted; 0 where it has none.
  std::optional<std::int64_t> layouts_of_line;
};

/// Draws the point of an opened file: the status, findings, the prediction, advice, resources, and the accesses by line.
class FilePoint {
 public:
  /// `help` explains the parts of a prediction.
  FilePointAction draw(const OpenedFileView& view, const ModelHelp& help);
  /// Another answer is shown from now on.
  void forget();

 private:
  SourceLinks links_to(const OpenedFileView& view);
  void draw_findings(const OpenedFileView& view, const SourceLinks& links);

  KeptHeights heights_;
  /// By file and line.
  std::map<std::pair<std::string, std::int64_t>, SourceExcerpt> excerpts_;
};

}  // namespace tilescope
