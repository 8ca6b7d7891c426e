#include "profiler/installation.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "base/trusted_path.hpp"

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

/// No folder, and none can be made below it.
const fs::path no_folder = "/dev/null";

/// The home folder in the user database; empty where there is none that the caller may write.
fs::path home_in_user_database() {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return {};
  const fs::path home = found->pw_dir;
  std::error_code error;
  const bool is_usable =
      home.is_absolute() && fs::is_directory(home, error) && ::access(home.c_str(), W_OK | X_OK) == 0;
  return is_usable ? home : fs::path();
}

/// The name is known to everybody, so it may have been taken: only a folder that other users may not enter will do.
fs::path private_temporary_folder() {
  const fs::path folder = fs::temp_directory_path() / ("tilescope-" + std::to_string(::geteuid()));
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat status {};
  const bool is_ours = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_ours && why_untrusted(folder).empty() ? folder : fs::path();
}

/// A folder of the XDG base directory specification, which ignores relative paths.
fs::path xdg_folder(const char* name, const char* below_home) {
  const fs::path named = environment(name);
  if (named.is_absolute()) return named / "tilescope";
  const fs::path home = home_folder();
  return (home.empty() ? no_folder : home / below_home) / "tilescope";
}

void add_problems(Installation& installation) {
  if (installation.cache.parent_path() == no_folder || installation.data.parent_path() == no_folder) {
    installation.problems.push_back(
        "The user database has no home folder for this user, and the one in its place among the temporary "
        "files "
        "belongs to another user: nothing is cached or saved. Set HOME, or XDG_CACHE_HOME, XDG_DATA_HOME "
        "and "
        "XDG_CONFIG_HOME, to folders of your own.");
  }
  if (const std::string why = why_untrusted(installation.cache); !why.empty()) {
    installation.problems.push_back(
        "The cache " + installation.cache.string() + " is not used: " + why +
        ", so that others could put programs there. Remove it, take it back with " +
        "chown and chmod go-w, or set XDG_CACHE_HOME to a folder of your own.");
    return;
  }
  if (const std::string why = why_untrusted(installation.dependencies); !why.empty()) {
    installation.problems.push_back("The downloads in " + installation.dependencies.string() +
                                    " are not used: " + why +
                                    ", so that others could put programs there. Take them back with chown " +
                                    "and chmod -R go-w, or set XDG_CACHE_HOME to a folder of your own.");
  }
}

}  // namespace

fs::path home_folder() {
  fs::path named = environment("HOME");
  if (named.is_absolute()) return named;
  const fs::path home = home_in_user_database();
  return home.empty() ? private_temporary_folder() : home;
}

void keep_shaders_out_of_folder() {
  const fs::path home = environment("HOME");
  if (!home.empty() && home.is_relative()) ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
}

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
  add_problems(installation);
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
