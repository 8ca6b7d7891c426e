#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "app/commands/command.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// --entry and --args: which kernel of a file is launched, and how.
struct LaunchArguments {
  std::string entry;
  std::filesystem::path launch;

  /// `where`: where the form of the launch is described, "(see below)".
  void declare(CLI::App& app, const std::string& where);
  /// The kernel and its launch, for a worker. Throws UnreadableInput where `file` or an array that --args names
  /// cannot be read, and where --args is not JSON.
  FileSubject subject(const std::filesystem::path& file, std::chrono::milliseconds time_limit) const;
  /// The client's time limit for a request about a file: the worker's own, and time to send, decode and answer.
  static std::chrono::milliseconds patience(const FileSubject& subject);
  bool is_given() const { return !entry.empty() || !launch.empty(); }
  /// Throws WrongUsage where one of them was given, for a kernel whose declaration has its launch.
  void refuse_without_file() const;
  /// The failure of a launch that does not fit: `reason` has a line for each thing that is wrong with it.
  CommandFailure failure_of_launch(const std::string& reason) const;
};

}  // namespace tilescope
