#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// Which library is wanted, and where it may lie.
struct LibrarySearch {
  std::string name;                ///< As a person calls it: "cuDNN".
  std::vector<std::string> files;  ///< "libcudnn.so.9"; of several the first that is found anywhere is taken.
  std::string variable;  ///< The environment variable that names the user's folder: "TILESCOPE_CUDNN".
  /// Below the user's folder, in this order; "" is the folder itself.
  std::vector<std::string> user_folders;
  /// Below a Python's site-packages, where pip unpacks the library: "nvidia/cudnn/lib".
  std::vector<std::string> package_folders;
  std::string install;  ///< What brings it, for the message: "pip install nvidia-cudnn-cu13".
};

/// An open library. It is never closed: CUDA's libraries keep threads and memory for as long as the process runs.
struct OpenedLibrary {
  void* handle = nullptr;      ///< Of dlopen.
  std::filesystem::path path;  ///< The file that was opened.
};

/// Opens the library: from the user's folder when the variable is set, and only from there; else from where the system's
/// loader looks, from /usr/local/cuda/lib64 or $CONDA_PREFIX/lib, or from the packages of the Pythons here: $VIRTUAL_ENV,
/// $CONDA_PREFIX, ~/.local, /usr/local, /usr and /opt/conda. Throws LibraryUnavailable with what was looked for, where,
/// and what to do.
OpenedLibrary open_library(const LibrarySearch& search);

/// The site-packages folders that pip installs into, of those Pythons, in that order: only the ones that exist.
std::vector<std::filesystem::path> python_package_folders();

}  // namespace tilescope
