#include "profiler/installation.hpp"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "kernels", ignored) &&
         fs::is_directory(folder / "assets" / "devices", ignored);
}

fs::path find_root(const fs::path& executable) {
  const std::string wanted = "a folder with kernels/ and assets/devices/";
  if (const std::string named = environment("TILESCOPE_ROOT"); !named.empty()) {
    if (is_root(named)) return fs::absolute(named).lexically_normal();
    throw std::runtime_error("TILESCOPE_ROOT is '" + named + "', which is not " + wanted +
                             ": set it to Tilescope's own folder or unset it");
  }
  for (fs::path folder = executable.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (is_root(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  throw std::runtime_error(
      "found no folder above " + executable.string() +
      " with kernels/ and assets/devices/: set TILESCOPE_ROOT to Tilescope's own folder");
}

/// A folder of the XDG base directory specification, which ignores relative paths.
fs::path xdg_folder(const char* name, const char* below_home) {
  const fs::path named = environment(name);
  if (named.is_absolute()) return named / "tilescope";
  const std::string home = environment("HOME");
  if (!home.empty()) return fs::path(home) / below_home / "tilescope";
  return fs::temp_directory_path() / "tilescope" / fs::path(below_home).filename();
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Installation find_installation() {
  Installation installation;
  std::error_code error;
  installation.executable = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw std::runtime_error("cannot read /proc/self/exe: " + error.message() + "; is /proc mounted?");
  installation.root = find_root(installation.executable);
  installation.kernels = installation.root / "kernels";
  installation.devices = installation.root / "assets" / "devices";
  installation.examples = installation.root / "sessions" / "examples";
  installation.cache = xdg_folder("XDG_CACHE_HOME", ".cache");
  installation.dependencies = installation.cache / "dependencies";
  installation.data = xdg_folder("XDG_DATA_HOME", ".local/share");
  installation.config = xdg_folder("XDG_CONFIG_HOME", ".config");
  return installation;
}

fs::path shell_program(const Installation& installation) {
  fs::path script = installation.root / "tilescope";
  std::error_code ignored;
  if (fs::is_regular_file(script, ignored)) return script;
  return installation.executable.parent_path() / "tilescope";
}

std::string tilescope_version() {
  return TILESCOPE_VERSION;
}

}  // namespace tilescope
