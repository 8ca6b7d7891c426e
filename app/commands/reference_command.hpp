#pragma once

#include <filesystem>
#include <string>

#include "profiler/process/temporary_folder.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A program of the user's that computes what the outputs of a launch should hold, --reference-command. Its last argument
/// is a folder with
///   launch.json         the launch, with its numbers by name
///   NAME.npy            each buffer as it is before the launch; bf16 as float32
///   expected/           in which it writes NAME.npy for each output that is to be compared
class ReferenceCommand {
 public:
  explicit ReferenceCommand(std::string command) : command_(std::move(command)) {}

  /// Runs the program for the launch of `point`, and returns `params` with that launch and the values that it wrote. They
  /// lie in a folder that lives as long as this. Throws CannotRun with the program's words where it fails or writes no
  /// output.
  OpenFile::Params expect(const OpenedPoint& point, OpenFile::Params params);

 private:
  void run() const;

  std::string command_;
  TemporaryFolder folder_;
};

}  // namespace tilescope
