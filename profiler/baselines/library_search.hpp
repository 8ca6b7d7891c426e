#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// Which library to open, and where to look for it.
struct LibrarySearch {
  std::string name;                ///< The usual name: "cuDNN".
  std::vector<std::string> files;  ///< "libcudnn.so.9"; the first one that is found anywhere is used.
  std::string variable;  ///< The environment variable that names the user's folder: "TILESCOPE_CUDNN".
  /// Below the user's folder, in this order; "" is the folder itself.
  std::vector<std::string> user_folders;
  /// Below a Python's site-packages, where pip unpacks the library: "nvidia/cudnn/lib".
  std::vector<std::string> package_folders;
  std::string install;  ///< The command that installs it, for messages: "pip install nvidia-cudnn-cu13".
};

/// An open library. It is never closed: CUDA's libraries keep threads and memory for as long as the process runs.
struct OpenedLibrary {
  void* handle = nullptr;      ///< Handle of dlopen.
  std::filesystem::path path;  ///< The file that was opened.
};

/// Opens the library: from the user's folder only when the variable is set; else from the system's search path, from
/// /usr/local/cuda/lib64 or $CONDA_PREFIX/lib, or from the packages of this machine's Pythons: $VIRTUAL_ENV,
/// $CONDA_PREFIX, ~/.local, /usr/local, /usr and /opt/conda. Throws LibraryUnavailable with what was looked for, where,
/// and what to do.
OpenedLibrary open_library(const LibrarySearch& search);

/// The existing site-packages folders of those Pythons, in that order.
std::vector<std::filesystem::path> python_package_folders();

}  // namespace tilescope
