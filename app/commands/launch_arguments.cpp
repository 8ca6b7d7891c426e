#include "app/commands/launch_arguments.hpp"

#include <CLI/CLI.hpp>

#include "profiler/measure/files/read_subject.hpp"

namespace tilescope {

void LaunchArguments::declare(CLI::App& app, const std::string& where) {
  app.add_option("--entry", entry, "The kernel of a file; may be left out if it has only one")
      ->type_name("NAME");
  app.add_option("--args", launch, "The launch of a file: grid, block and arguments " + where)
      ->type_name("LAUNCH.json");
}

FileSubject LaunchArguments::subject(const std::filesystem::path& file,
                                     std::chrono::milliseconds time_limit) const {
  FileSubject subject;
  try {
    subject = read_subject(file, launch);
  } catch (const UnreadableSubject& error) {
    throw UnreadableInput(error.what());
  }
  subject.entry = entry;
  subject.time_limit_s = std::chrono::duration<double>(time_limit).count();
  return subject;
}

std::chrono::milliseconds LaunchArguments::patience(const FileSubject& subject) {
  constexpr std::chrono::seconds beside_the_run{60};
  const std::chrono::duration<double> run(subject.time_limit_s);
  return std::chrono::duration_cast<std::chrono::milliseconds>(run) + beside_the_run;
}

void LaunchArguments::refuse_without_file() const {
  if (!is_given()) return;
  throw WrongUsage(
      "--entry and --args are for a file (.ptx, .cu): a kernel's declaration has its entry and its launch");
}

CommandFailure LaunchArguments::failure_of_launch(const std::string& reason) const {
  if (launch.empty()) return WrongUsage(reason);
  return UnreadableInput(launch.string() + ":\n" + reason);
}

}  // namespace tilescope
