#include "app/commands/launch_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>

#include "sessions/json.hpp"

namespace tilescope {

void LaunchArguments::declare(CLI::App& app, const std::string& where) {
  app.add_option("--entry", entry, "The kernel of a file; may be left out if it has only one")
      ->type_name("NAME");
  app.add_option("--args", launch, "The launch of a file: grid, block and arguments " + where)
      ->type_name("LAUNCH.json");
}

Json LaunchArguments::read() const {
  if (launch.empty()) return Json::object();
  try {
    return Json::parse(read_file(launch));
  } catch (const Json::parse_error& error) {
    throw WrongUsage(fmt::format("'{}' is not valid JSON: {}", launch.string(), error.what()));
  }
}

void LaunchArguments::refuse_without_file() const {
  if (entry.empty() && launch.empty()) return;
  throw WrongUsage(
      "--entry and --args are for a PTX file: a kernel's declaration has its entry and its launch");
}

WrongUsage LaunchArguments::wrong_usage(const LaunchFileError& error) const {
  return WrongUsage((launch.empty() ? "" : launch.string() + ":\n") + std::string(error.what()));
}

std::string LaunchArguments::read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw WrongUsage(fmt::format("cannot read '{}': check the path", path.string()));
  return text;
}

}  // namespace tilescope
