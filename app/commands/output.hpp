#pragma once

#include <filesystem>
#include <string>

#include "app/commands/command.hpp"
#include "base/json_fwd.hpp"
#include "profiler/installation.hpp"
#include "sessions/measurement.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// The options of every command.
struct OutputOptions {
  bool json = false;
  /// Empty for none.
  std::filesystem::path session;

  void declare_json(CLI::App& app);
  void declare_session(CLI::App& app);
};

/// Writes to stdout, which is only for the result. Throws CannotRun when it cannot be written (a full disk, a closed
/// pipe).
void print(const std::string& text);
/// CSV, Markdown or HTML, whose writers have escaped it.
void print_document(const std::string& text);
/// The one document of a command that was given --json.
void print_json(const Json& document);
/// A result that is not the whole one, with what is missing in the words of a failure.
Json with_failure(Json document, const std::string& status, const std::string& reason);
/// Whether print_json() has begun to write: then stdout takes no other document.
bool has_begun_document();

/// Writes to stderr, which is for progress, errors and notes.
void say(const std::string& sentence);

/// Says which folders of this installation are not used, and why.
void say_problems(const Installation& installation);

/// One line on stderr that is overwritten on a terminal; prints nothing elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void clear();
  bool on_terminal() const { return on_terminal_; }

 private:
  bool on_terminal_;
  bool shown_ = false;
};

/// A point as text: its figures with their units, what was not measured and why.
std::string point_text(const Measurement& point);

/// The exit code for a point.
ExitCode exit_code_of(const Measurement& point);

}  // namespace tilescope
