#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// The folders of this program. Each can be overridden by the environment, see `tilescope --help`.
struct Installation {
  /// Holds kernels/ and assets/: TILESCOPE_ROOT, else found above the executable.
  std::filesystem::path root;
  /// root/kernels
  std::filesystem::path kernels;
  /// root/assets/devices
  std::filesystem::path devices;
  /// root/sessions/examples
  std::filesystem::path examples;
  /// The unpacked downloads, cache/dependencies.
  std::filesystem::path dependencies;
  /// $XDG_CACHE_HOME/tilescope, else ~/.cache/tilescope. Variables that are not absolute paths are ignored, as the XDG
  /// specification says.
  std::filesystem::path cache;
  /// Sessions: $XDG_DATA_HOME or ~/.local/share, /tilescope
  std::filesystem::path data;
  /// Window settings: $XDG_CONFIG_HOME or ~/.config, /tilescope
  std::filesystem::path config;
  /// This program's file; tilescope-window lies beside it.
  std::filesystem::path executable;
  /// Sentences about folders that are not used, with what to do.
  std::vector<std::string> problems;
};

/// Throws std::runtime_error, with what was looked for and where, when the root cannot be found.
Installation find_installation();

/// HOME, else the home folder that the user database has. Without a usable one a folder among the temporary files that
/// only the caller may enter. Empty where another user has taken its name.
std::filesystem::path home_folder();

/// To be called before OpenGL is used. Where HOME is a relative path, Mesa would otherwise keep its shaders below the
/// current folder.
void keep_shaders_out_of_folder();

/// An environment variable's value, "" when it is not set.
std::string environment(const char* name);

/// The program that a shell runs for `tilescope`, with its whole path: root/tilescope, which also builds, or of a moved
/// installation the one beside this program.
std::filesystem::path shell_program(const Installation& installation);

/// "0.1.0"
std::string tilescope_version();

}  // namespace tilescope
