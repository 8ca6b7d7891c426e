#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
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
  wrong_usage = 2,
  /// Here: the reason is on stderr.
  cannot_run = 3,
  /// By Ctrl+C.
  stopped = 130,
};

/// An invalid command line: the message has valid words that are near. Ends with exit code 2.
class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This machine lacks something: the message says what, and what to do. Ends with exit code 3.
class CannotRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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

}  // namespace tilescope
