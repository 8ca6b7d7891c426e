#include "app/commands/launch_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/regular_file.hpp"

namespace tilescope {
namespace {

/// The largest file of machine code or PTX, and of a launch with the contents of its buffers. [B]
constexpr std::uint64_t file_limit = std::uint64_t{256} << 20U;

}  // namespace

void LaunchArguments::declare(CLI::App& app, const std::string& where) {
  app.add_option("--entry", entry, "The kernel of a file; may be left out if it has only one")
      ->type_name("NAME");
  app.add_option("--args", launch, "The launch of a file: grid, block and arguments " + where)
      ->type_name("LAUNCH.json");
}

Json LaunchArguments::read() const {
  if (launch.empty()) return Json::object();
  try {
    return parse_json(read_file(launch));
  } catch (const JsonError& error) {
    throw UnreadableInput(fmt::format("cannot read '{}': {}", launch.string(), error.what()));
  }
}

void LaunchArguments::refuse_without_file() const {
  if (entry.empty() && launch.empty()) return;
  throw WrongUsage(
      "--entry and --args are for a PTX file: a kernel's declaration has its entry and its launch");
}

CommandFailure LaunchArguments::failure(const LaunchFileError& error) const {
  if (launch.empty()) return WrongUsage(error.what());
  return UnreadableInput(launch.string() + ":\n" + error.what());
}

std::string LaunchArguments::read_file(const std::filesystem::path& path) {
  try {
    return read_regular_file(path, file_limit);
  } catch (const UnreadableFile& error) {
    throw UnreadableInput(fmt::format("cannot read '{}': {}", path.string(), error.reason()));
  }
}

}  // namespace tilescope
