#include "app/commands/launch_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/measure/files/launch_arrays.hpp"

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
Json parse_launch(const std::filesystem::path& path, const std::string& text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    throw UnreadableInput(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

// The .npy files that a launch names, from its folder. The bytes of those go with the request that fit together.
std::vector<SentArray> read_arrays(const std::filesystem::path& launch, const Json& document) {
  std::vector<SentArray> arrays;
  std::uint64_t left = sent_arrays_limit;
  for (const std::string& name : named_arrays(document)) {
    const std::filesystem::path path = launch.parent_path() / name;
    try {
      std::string contents = read_regular_file(path, subject_file_limit);
      const std::uint64_t bytes = contents.size();
      arrays.push_back({name, sent_file(path, std::move(contents), left)});
      if (arrays.back().file.contents) left -= bytes;
    } catch (const UnreadableFile& error) {
      throw UnreadableInput(fmt::format("cannot read '{}', which '{}' names as \"npy\": {}", path.string(),
                                        launch.string(), error.reason()));
    }
  }
  return arrays;
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
  if (!launch.empty()) {
    std::string text = read_subject_file(launch);
    subject.arrays = read_arrays(launch, parse_launch(launch, text));
    subject.launch = sent_file(launch, std::move(text));
  }
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
