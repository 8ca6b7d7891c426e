#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/launch_arguments.hpp"
#include "profiler/service/client/client.hpp"
#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// How a kernel's file is compiled, and what its outputs should hold.
struct OpeningOptions {
  std::vector<std::string> include_folders, definitions, options, formulas;
  std::string reference;
  std::vector<std::string> earlier;

  void declare(CLI::App& app);
  /// All but --expect, --reference and --before.
  void declare_compiling(CLI::App& app);
  /// Throws WrongUsage for a formula that cannot be read, that names no output or an output that has one.
  void add_to(OpenFile::Params& params) const;
};

/// The launch file beside a kernel's file, which goes before guesses but not before values that were given; empty where
/// there is none. Says where it is left aside.
std::filesystem::path declared_launch(const std::filesystem::path& file, bool has_values);

/// Opens the file in the worker, with progress on the terminal.
OpenedPoint ask_to_open(Client& client, const OpenFile::Params& params);

/// The file that `params` opens, with its kernel and its launch: the one that is given, else the guessed one. Throws as
/// refuse_unopened(), and CannotRun where no launch can be guessed.
ChosenFile launched_file(Client& client, OpenFile::Params params, const LaunchArguments& launch);

/// Throws where the command line or a file is wrong, and where the worker ended.
void refuse_unopened(const OpenedPoint& point, const std::filesystem::path& file,
                     const LaunchArguments& launch);

}  // namespace tilescope
