#include "app/explorer/kernel_file/session_points.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/points/points.hpp"
#include "app/explorer/points/shown_point.hpp"
#include "base/text/format.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"

namespace tilescope {

void add_to_session(Board& board, const std::vector<KeptPoint>& points) {
  const auto& opened = board.get<OpenedFile>();
  if (!opened.shown()) return;
  const std::string file = opened.file().filename().string();
  std::size_t added = 0;
  SharedMeasurement newest;
  for (const KeptPoint& one : points) {
    const auto point = std::make_shared<const Measurement>(file_measurement(one.point, file, one.chosen));
    // The file may have changed since the point was executed.
    const bool has_source = opened.shown()->point.provenance.source_sha256 == point->provenance.source_sha256;
    if (!board.parts.points.add_of_file(point, has_source ? opened.shown()->source : SourceFile())) continue;
    newest = point;
    ++added;
  }
  if (newest) board.get<ShownPoint>().show_as_it_is(newest);
  board.parts.notices.inform(added == 0 ? "The session has it already."
                                        : format_points(added) + (added == 1 ? " was" : " were") +
                                              " added to the session: Review has the table and the plots.");
}

}  // namespace tilescope
