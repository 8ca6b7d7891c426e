#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

/// The folders of this program. Each can be overridden by the environment, see `tilescope --help`.
struct Installation {
  std::filesystem::path root;          ///< Holds kernels/ and assets/: TILESCOPE_ROOT, else found above the executable.
  std::filesystem::path kernels;       ///< root/kernels
  std::filesystem::path devices;       ///< root/assets/devices
  std::filesystem::path examples;      ///< root/sessions/examples
  std::filesystem::path dependencies;  ///< The unpacked downloads, cache/dependencies.
  std::filesystem::path cache;         ///< $XDG_CACHE_HOME/tilescope, else ~/.cache/tilescope
  std::filesystem::path data;          ///< Sessions: $XDG_DATA_HOME or ~/.local/share, /tilescope
  std::filesystem::path config;        ///< Window settings: $XDG_CONFIG_HOME or ~/.config, /tilescope
  std::filesystem::path executable;    ///< This program's file; tilescope-window lies beside it.
};

/// Throws std::runtime_error, with what was looked for and where, when the root cannot be found.
Installation find_installation();

/// "0.1.0"
std::string tilescope_version();

}  // namespace tilescope
