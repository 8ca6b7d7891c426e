#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

constexpr const char* footer =
    "Without a command the window opens; without a display a short sweep runs, and its session and picture "
    "are saved.\n"
    "\n"
    "Variables:\n"
    "  TILESCOPE_CUDA     a CUDA Toolkit's folder whose NVRTC, CUPTI and cuBLAS are used instead of those "
    "found otherwise\n"
    "  TILESCOPE_CUDNN    the folder of libcudnn.so.9, to use another cuDNN than that of the system or "
    "Python\n"
    "  TILESCOPE_ROOT     the folder that holds kernels/ and assets/, when the program is moved away from "
    "them\n"
    "  TILESCOPE_WORKER   the command that measures instead of this program: \"ssh host tilescope worker\" "
    "for a GPU "
    "elsewhere\n"
    "  XDG_CACHE_HOME     downloads and compiled kernels go to its folder tilescope/ (default ~/.cache)\n"
    "  XDG_DATA_HOME      sessions (default ~/.local/share)\n"
    "  XDG_CONFIG_HOME    the window's settings (default ~/.config)\n"
    "\n"
    "Exit codes: 0 done, 1 a check failed (wrong result, invalid configuration), 2 wrong usage, 3 cannot "
    "run here, 130 stopped by Ctrl+C.";

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// CLI11's message, with the nearest valid word for an unknown one.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> commands;
  const CLI::App* chosen = &app;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    if (command->parsed()) chosen = command;
  }
  const std::vector<std::string> left = app.remaining(true);
  const std::string help =
      chosen == &app ? "tilescope --help" : "tilescope " + chosen->get_name() + " --help";
  if (left.empty()) return fmt::format("{}; see {}", error.what(), help);
  const std::string& word = left.front();
  if (word.starts_with("-")) {
    return fmt::format("there is no option '{}'; the nearest: {}; see {}", word,
                       nearest_names(word, option_names(*chosen)), help);
  }
  if (chosen == &app) {
    return fmt::format("there is no command '{}'; the nearest: {}", word, nearest_names(word, commands));
  }
  return fmt::format("{} does not expect '{}'; see {}", chosen->get_name(), word, help);
}

ExitCode run(int argument_count, char** arguments) {
  CLI::App app("Tilescope: explore the performance of GPU attention kernels.", "tilescope");
  app.footer(footer);
  app.set_version_flag("--version", tilescope_version(), "Print the version");
  app.require_subcommand(0, 1);
  const std::vector<std::unique_ptr<Command>> commands = make_registered_commands();
  Command* chosen = nullptr;
  for (const auto& command : commands) {
    CLI::App* subcommand = app.add_subcommand(command->name(), command->summary());
    subcommand->footer("`tilescope --help` names the variables and the exit codes.");
    command->declare_options(*subcommand);
    subcommand->callback([&chosen, &command] { chosen = command.get(); });
  }
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& asked) {
    app.exit(asked);
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    throw WrongUsage(complaint(app, error));
  }
  return chosen == nullptr ? run_without_command() : chosen->run();
}

}  // namespace
}  // namespace tilescope

int main(int argument_count, char** arguments) {
  using tilescope::ExitCode;
  ExitCode code = ExitCode::cannot_run;
  try {
    code = tilescope::run(argument_count, arguments);
  } catch (const tilescope::WrongUsage& error) {
    tilescope::say(std::string("tilescope: ") + error.what());
    code = ExitCode::wrong_usage;
  } catch (const tilescope::DeclarationError& error) {  // about the kernel, as a point that measures it says
    tilescope::say(std::string("tilescope: ") + error.what());
    code = ExitCode::verdict_against;
  } catch (const std::exception& error) {
    tilescope::say(std::string("tilescope: ") + error.what());
  }
  if (code == ExitCode::cannot_run && tilescope::interrupted()) code = ExitCode::stopped;
  return static_cast<int>(code);
}
