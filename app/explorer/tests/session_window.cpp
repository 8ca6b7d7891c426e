// A window without its picture: opens a session as one that was kept and adds points, which the document writes on its
// own thread as it does in the explorer. session_window SESSION NAME POINTS prints how many points it has kept.
#include <cstdlib>
#include <iostream>
#include <string>

#include "app/explorer/points/session_document.hpp"

namespace {

std::shared_ptr<const tilescope::Measurement> point(const std::string& window, int number) {
  tilescope::Experiment experiment;
  experiment.kernel = "window_" + window;
  experiment.parameters["NUMBER"] = number;
  experiment.device = "L4";
  return std::make_shared<const tilescope::Measurement>(
      tilescope::failed_measurement(experiment, tilescope::Status::unsupported, "no GPU"));
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace tilescope;
  if (argument_count != 4) return 2;
  const std::filesystem::path file = arguments[1];
  const int points = std::atoi(arguments[3]);
  SessionDocument document(file.parent_path() / "autosaves", {});
  const auto stamp = file_stamp(file);
  document.recover(load_session(file), file, {}, stamp);
  for (int i = 0; i < points; ++i) {
    document.add_point(point(arguments[2], i), {});
    document.flush();
  }
  for (const std::string& error : document.take_errors()) {
    std::cerr << error << "\n";
    return 1;
  }
  std::cout << points << "\n";
}
