#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/command.hpp"
#include "app/commands/failure.hpp"
#include "app/commands/help.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"
#include "profiler/measure/files/kernel_file_names.hpp"
#include "profiler/process/memory_watch.hpp"
#include "profiler/process/standard_descriptors.hpp"

namespace tilescope {
namespace {

std::string footer() {
  const std::pair<const char*, const char*> variables[] = {
      {"TILESCOPE_CUDA",
       "folder of a CUDA Toolkit, whose NVRTC, nvcc, CUPTI and cuBLAS replace those found otherwise"},
      {"TILESCOPE_CUDNN", "folder of libcudnn.so.9, instead of the system's or Python's cuDNN"},
      {"TILESCOPE_MEMORY_LIMIT",
       "GiB that a command, and a worker, may take (default three quarters of the machine's memory)"},
      {"TILESCOPE_PYTHON",
       "Python with PyTorch, which runs a task that is opened with --trust (default python3)"},
      {"TILESCOPE_ROOT", "folder with kernels/ and assets/, when the program was moved away from them"},
      {"TILESCOPE_WORKER",
       "command that measures instead of this program: \"ssh host tilescope worker\" for a GPU elsewhere"},
      {"XDG_CACHE_HOME", "downloads and compiled kernels, in its folder tilescope/ (default ~/.cache)"},
      {"XDG_DATA_HOME", "sessions (default ~/.local/share)"},
      {"XDG_CONFIG_HOME", "settings of the window (default ~/.config)"},
      {"NO_COLOR", "set to anything: no colors on a terminal"}};
  std::string text =
      "Without a command the window opens, with a kernel file in place of a command (softmax.cu) that file "
      "in it; "
      "without a display `open` runs. Without a display a short sweep runs, and its session and picture "
      "are saved.\n\nVariables:\n";
  for (const auto& [name, meaning] : variables) text += help_row(name, meaning);
  return text +
         "\nExit codes: 0 done, 1 a check failed (incorrect result, invalid configuration), 2 wrong usage, "
         "or a "
         "file that is missing or damaged, 3 cannot run here, or an output that cannot be written, 130 "
         "stopped by "
         "Ctrl+C. With --json a failure is a document, too: its status and its reason.";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// CLI11's message, with valid words near an unknown one.
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
    const std::string sentence =
        suggest_names(fmt::format("there is no option '{}'", word), word, option_names(*chosen));
    return fmt::format("{}{} {}", sentence, sentence.ends_with('?') ? " See" : "; see", help);
  }
  if (chosen == &app) return suggest_names(fmt::format("there is no command '{}'", word), word, commands);
  return fmt::format("{} does not expect '{}'; see {}", chosen->get_name(), word, help);
}

/// [B] That TILESCOPE_MEMORY_LIMIT names, in GiB, else the default.
std::uint64_t memory_limit() {
  const char* const named = std::getenv("TILESCOPE_MEMORY_LIMIT");
  if (named == nullptr || *named == '\0') return default_memory_limit();
  char* end = nullptr;
  const double gibibytes = std::strtod(named, &end);
  constexpr double most = 1 << 20;
  if (*end != '\0' || !(gibibytes > 0) || gibibytes > most)
    throw WrongUsage(fmt::format("TILESCOPE_MEMORY_LIMIT is '{}': give GiB, more than 0", named));
  return static_cast<std::uint64_t>(gibibytes * static_cast<double>(std::uint64_t{1} << 30));
}

/// The file of `tilescope softmax.cu`, a command line of a kernel file alone; empty for another command line.
std::filesystem::path lone_kernel_file(int argument_count, char** arguments,
                                       const std::vector<std::unique_ptr<Command>>& commands) {
  if (argument_count != 2) return {};
  const std::filesystem::path file = arguments[1];
  const bool is_command =
      std::ranges::any_of(commands, [&](const auto& command) { return command->name() == file; });
  return is_command || !holds_kernels(file) ? std::filesystem::path() : file;
}

ExitCode run(int argument_count, char** arguments) {
  CLI::App app("Tilescope: explore the performance of GPU attention kernels.", "tilescope");
  app.footer(footer);
  format_help(app);
  app.set_version_flag("--version", tilescope_version(), "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
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
    const std::filesystem::path file = lone_kernel_file(argument_count, arguments, commands);
    if (file.empty()) {
      app.parse(argument_count, arguments);
    } else {
      std::error_code ignored;
      if (std::filesystem::exists(file, ignored) && can_open_window()) open_window(file);
      app.parse(std::vector<std::string>{file.string(), "open"});  // Read from the back.
    }
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    app.exit(asked, text);
    print(text.str());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    throw WrongUsage(complaint(app, error));
  }
  return chosen == nullptr ? run_without_command() : chosen->run();
}

}  // namespace
}  // namespace tilescope

int main(int argument_count, char** arguments) {
  tilescope::open_standard_descriptors();
  tilescope::keep_shaders_out_of_folder();
  const bool as_json = tilescope::wants_json(argument_count, arguments);
  if (as_json) tilescope::print_document_on_interrupt();
  return static_cast<int>(tilescope::run_to_exit_code(as_json, [&] {
    const tilescope::MemoryWatch watch(tilescope::memory_limit(), [as_json](const std::string& reason) {
      std::_Exit(static_cast<int>(tilescope::report(tilescope::CannotRun(reason), as_json)));
    });
    return tilescope::run(argument_count, arguments);
  }));
}
