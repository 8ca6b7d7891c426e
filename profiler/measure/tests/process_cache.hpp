#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace tilescope::test_support {

/// A cache folder for all cases of this process: most of a case's time would otherwise go to kernels that another one has
/// compiled and disassembled. Results of executions are not kept from case to case: the next call forgets them.
inline const std::filesystem::path& process_cache() {
  struct Folder {
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "tilescope-cache-XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a cache: " + name);
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
  };
  static const Folder folder;
  std::filesystem::remove_all(folder.path / "executions");
  return folder.path;
}

}  // namespace tilescope::test_support
