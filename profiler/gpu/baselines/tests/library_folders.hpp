#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace tilescope {

/// Sets an environment variable for the lifetime of this object; nullptr unsets it.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
    const char* before = std::getenv(name_.c_str());
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(was_set_ ? before_.c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr)
      unsetenv(name_.c_str());
    else
      setenv(name_.c_str(), value, 1);
  }

  std::string name_;
  std::string before_;
  bool was_set_ = false;
};

/// A folder of its own for one test, removed with it.
class LibraryFolders {
 public:
  LibraryFolders() {
    std::string name = (std::filesystem::temp_directory_path() / "tilescope-library-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~LibraryFolders() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  LibraryFolders(const LibraryFolders&) = delete;
  LibraryFolders& operator=(const LibraryFolders&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// A library that opens, at root/file.
  std::filesystem::path library(const std::string& file) const {
    std::filesystem::path made = folder_of(file);
    std::filesystem::copy_file(TILESCOPE_BUILD_DIR "/tests/libfake_library.so", made);
    return made;
  }
  /// A file of that name that is not a library.
  std::filesystem::path broken(const std::string& file) const {
    std::filesystem::path made = folder_of(file);
    std::ofstream(made) << "no library";
    return made;
  }

 private:
  std::filesystem::path folder_of(const std::string& file) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    return root_ / file;
  }

  std::filesystem::path root_;
};

}  // namespace tilescope
