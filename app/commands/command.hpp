#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tilescope {

/// The exit codes of all commands.
enum class ExitCode {
  done = 0,
  /// An incorrect result, a kernel that does not compile, an invalid configuration.
  check_failed = 1,
  /// Wrong usage, or a file that is missing, damaged or not of its kind.
  wrong_usage = 2,
  /// This machine lacks something, an output cannot be written, or a question cannot be decided: stderr has the reason.
  cannot_run = 3,
  /// By Ctrl+C.
  stopped = 130,
};

/// A command that cannot do what it was asked for: the message says why. It ends with `code`, and with --json `status`
/// and the message are its document.
class CommandFailure : public std::runtime_error {
 public:
  CommandFailure(ExitCode code, std::string status, const std::string& reason)
      : std::runtime_error(reason), code_(code), status_(std::move(status)) {}

  ExitCode code() const { return code_; }
  const std::string& status() const { return status_; }

 private:
  ExitCode code_;
  std::string status_;
};

/// An invalid command line: the message has valid words that are near.
class WrongUsage : public CommandFailure {
 public:
  explicit WrongUsage(const std::string& reason) : CommandFailure(ExitCode::wrong_usage, "usage", reason) {}
};

/// A file to read that is missing, damaged or not of its kind: the message names it, and the place in it.
class UnreadableInput : public CommandFailure {
 public:
  explicit UnreadableInput(const std::string& reason)
      : CommandFailure(ExitCode::wrong_usage, "unreadable", reason) {}
};

/// This machine lacks something, or an output cannot be written: the message says what, and what to do.
class CannotRun : public CommandFailure {
 public:
  explicit CannotRun(const std::string& reason)
      : CommandFailure(ExitCode::cannot_run, "cannot_run", reason) {}
};

/// The end that Ctrl+C asked for, where a command has no result to print.
class Stopped : public CommandFailure {
 public:
  Stopped() : CommandFailure(ExitCode::stopped, "cancelled", "stopped by Ctrl+C") {}
};

/// One subcommand: its options and what it does.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  /// One line for the list of commands.
  virtual std::string summary() const = 0;
  virtual void declare_options(CLI::App& app) = 0;
  virtual ExitCode run() = 0;
};

/// A command registers itself with one line in its own file:
///   const RegisterCommand register_devices{[] { return std::make_unique<Devices>(); }};
struct RegisterCommand {
  explicit RegisterCommand(std::function<std::unique_ptr<Command>()> make);
};

/// All commands by name. Throws std::logic_error with both summaries when two have one name.
std::vector<std::unique_ptr<Command>> make_registered_commands();

/// `tilescope` without a command: opens the window or, without a display, runs a short sweep and draws a picture.
ExitCode run_without_command();

/// Whether there is a display for the window.
bool can_open_window();
/// Replaces this process by the window, with a file in it; an empty one for none. Only returns by throwing CannotRun.
void open_window(const std::filesystem::path& file);

}  // namespace tilescope
