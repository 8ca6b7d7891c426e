#include "app/window/restore.hpp"

#include <fmt/format.h>

#include <system_error>

#include "app/explorer/tune/sweep_choice.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// Long enough for anything that the user does first: the offer stays until it is pressed or dismissed.
constexpr std::chrono::hours offer_time{24};

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return !file.empty() && fs::exists(file, ignored);
}

}  // namespace

LastState last_state_of(const Explorer& explorer) {
  LastState last;
  const SessionDocument& document = explorer.points().document();
  last.session = document.file();
  if (document.is_dirty()) last.autosave = document.autosave_file();
  for (const RecordedSession& session : explorer.points().recorded_sessions())
    last.recorded.push_back(session.file);
  last.experiment = explorer.selection().experiment();
  last.sweep = explorer.board().get<SweepChoice>();
  return last;
}

void restore(Explorer& explorer, const LastState& last) {
  const auto take_experiment = [&explorer, experiment = last.experiment] {
    if (!experiment) return;
    // A session that was left without its last point stays as it was saved: measuring would change it at once.
    const Points& points = explorer.points();
    const bool has_point = points.document().file().empty() ||
                           points.store().find(explorer.selection().complete(*experiment), {}).has_value();
    if (has_point) explorer.selection().start_with(*experiment);
  };
  explorer.board().get<SweepChoice>() = last.sweep.get<SweepChoice>();
  if (is_there(last.autosave)) {
    explorer.points().begin_recovering(last.autosave, last.session, take_experiment, OpenedBy::start);
  } else if (is_there(last.session)) {
    explorer.points().begin_opening(last.session, take_experiment, OpenedBy::start);
  } else {
    if (!last.session.empty())
      explorer.notices().inform(fmt::format("{} is not there any more.", last.session.string()));
    take_experiment();
  }
  for (const fs::path& file : last.recorded) {
    if (is_there(file)) {
      explorer.points().begin_restoring_recorded(file);
    } else {
      explorer.notices().inform(fmt::format("{} is not there any more.", file.string()));
    }
  }
}

void offer_left_behind(Explorer& explorer, const SessionPlace& place) {
  const std::string name = place.session.empty() ? "the last session" : place.session.filename().string();
  explorer.notices().offer(
      fmt::format("Tilescope did not end in order. The points of {} were kept.", name), "Open them",
      [&explorer, place] { explorer.points().begin_recovering(place.autosave, place.session); }, offer_time);
}

}  // namespace tilescope
