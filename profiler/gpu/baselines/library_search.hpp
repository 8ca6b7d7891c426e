#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// Which library to open, and where to look for it.
struct LibrarySearch {
  /// The usual name: "cuDNN".
  std::string name;
  /// "libcudnn.so.9"; the first one that is found anywhere is used.
  std::vector<std::string> files;
  /// The environment variable that names the user's folder: "TILESCOPE_CUDNN".
  std::string variable;
  /// Below the user's folder, in this order; "" is the folder itself.
  std::vector<std::string> user_folders;
  /// Below a Python's site-packages, where pip unpacks the library: "nvidia/cudnn/lib".
  std::vector<std::string> package_folders;
  /// The command that installs it, for messages: "pip install nvidia-cudnn-cu13".
  std::string install;
};

/// An open library. It is never closed: CUDA's libraries keep threads and memory for as long as the process runs.
struct OpenedLibrary {
  /// Handle of dlopen.
  void* handle = nullptr;
  /// The file that was opened.
  std::filesystem::path path;
};

/// Opens the library: from the user's folder only when the variable is set; else from the system's search path, from
/// /usr/local/cuda/lib64 or $CONDA_PREFIX/lib, or from the packages of this machine's Pythons: $VIRTUAL_ENV,
/// $CONDA_PREFIX, ~/.local, /usr/local, /usr and /opt/conda. Throws LibraryUnavailable with what was looked for, where,
/// and what to do.
OpenedLibrary open_library(const LibrarySearch& search);

/// The existing site-packages folders of those Pythons, in that order.
std::vector<std::filesystem::path> python_package_folders();

}  // namespace tilescope
