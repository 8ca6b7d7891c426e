#include "app/shell/state_file.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include "app/shell/graphics.hpp"
#include "app/shell/landmarks.hpp"

namespace tilescope {

void write_state_file(const std::filesystem::path& file, const Explorer& explorer, const Json& frame_cost) {
  const auto point = explorer.current_point();
  const ImVec2 mouse = ImGui::GetMousePos();
  const Json state = {{"frame", ImGui::GetFrameCount()},
                      {"mouse", {mouse.x, mouse.y}},
                      {"points", explorer.points().size()},
                      {"recorded", explorer.recorded().size()},
                      {"experiment", explorer.experiment()},
                      {"status", point ? Json(to_string(point->status)) : Json()},
                      {"older_source", point && is_of_older_source(*point, explorer.current_sources())},
                      {"current_sources", explorer.current_sources().size()},
                      {"declaration_error", explorer.declaration_error()},
                      {"opening", explorer.opening()},
                      {"measuring", explorer.measuring()},
                      {"sweeping", explorer.sweep() != nullptr},
                      {"can_undo", explorer.can_undo()},
                      {"can_redo", explorer.can_redo()},
                      {"file", explorer.document().file().string()},
                      {"dirty", explorer.document().is_dirty()},
                      {"messages", explorer.messages()},
                      {"worker_pid", explorer.worker_pid()},
                      {"frame_cost", frame_cost},
                      {"widgets", Json::parse(landmarks_json())}};
  // Written beside the file and renamed over it. Not flushed to the disk, since it is read while the window runs.
  std::filesystem::path beside = file;
  beside += ".new";
  std::ofstream(beside) << state.dump() << '\n';
  std::error_code ignored;
  std::filesystem::rename(beside, file, ignored);
}

void write_requested_picture(const std::filesystem::path& file, int width, int height) {
  std::filesystem::path request = file;
  request += ".picture";
  std::string picture;
  if (!std::getline(std::ifstream(request), picture)) return;
  write_png(picture, width, height);
  std::filesystem::remove(request);
}

}  // namespace tilescope
