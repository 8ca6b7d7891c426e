#include "app/commands/launch_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/regular_file.hpp"

namespace tilescope {
namespace {

std::string read_subject_file(const std::filesystem::path& path) {
  try {
    return read_regular_file(path, subject_file_limit);
  } catch (const UnreadableFile& error) {
    throw UnreadableInput(fmt::format("cannot read '{}': {}", path.string(), error.reason()));
  }
}

// Throws UnreadableInput where it is not JSON.
std::string read_launch(const std::filesystem::path& path) {
  std::string text = read_subject_file(path);
  try {
    parse_json(text);
  } catch (const JsonError& error) {
    throw UnreadableInput(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
  return text;
}

}  // namespace

void LaunchArguments::declare(CLI::App& app, const std::string& where) {
  app.add_option("--entry", entry, "The kernel of a file; may be left out if it has only one")
      ->type_name("NAME");
  app.add_option("--args", launch, "The launch of a file: grid, block and arguments " + where)
      ->type_name("LAUNCH.json");
}

FileSubject LaunchArguments::subject(const std::filesystem::path& file,
                                     std::chrono::milliseconds time_limit) const {
  FileSubject subject;
  subject.code = sent_file(file, read_subject_file(file));
  subject.entry = entry;
  if (!launch.empty()) subject.launch = sent_file(launch, read_launch(launch));
  subject.time_limit_s = std::chrono::duration<double>(time_limit).count();
  return subject;
}

std::chrono::milliseconds LaunchArguments::patience(const FileSubject& subject) {
  constexpr std::chrono::seconds beside_the_run{60};
  const std::chrono::duration<double> run(subject.time_limit_s);
  return std::chrono::duration_cast<std::chrono::milliseconds>(run) + beside_the_run;
}

void LaunchArguments::refuse_without_file() const {
  if (entry.empty() && launch.empty()) return;
  throw WrongUsage(
      "--entry and --args are for a PTX file: a kernel's declaration has its entry and its launch");
}

CommandFailure LaunchArguments::failure_of_launch(const std::string& reason) const {
  if (launch.empty()) return WrongUsage(reason);
  return UnreadableInput(launch.string() + ":\n" + reason);
}

}  // namespace tilescope
