#pragma once

#include <filesystem>
#include <string>

#include "app/commands/command.hpp"
#include "base/json_fwd.hpp"
#include "profiler/measure/files/launch_file.hpp"

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
  /// The document of --args, {} without it. Throws UnreadableInput where it is not JSON.
  Json read() const;
  /// Throws WrongUsage where one of them was given, for a kernel whose declaration has its launch.
  void refuse_without_file() const;
  /// A launch that does not fit: of a file, which it names, or without one.
  CommandFailure failure(const LaunchFileError& error) const;
  /// Throws UnreadableInput.
  static std::string read_file(const std::filesystem::path& path);
};

}  // namespace tilescope
