#pragma once

#include <filesystem>
#include <string>

#include "profiler/process/temporary_folder.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// A kernel's source with the headers that it carries, written into a temporary folder for a compiler that reads files.
/// Files keep their names in the source, wherever it was read.
class SourceFolder {
 public:
  /// Throws CompileFailed for a name that no file here may have, and std::system_error where nothing can be written.
  explicit SourceFolder(const SourceFile& source);

  /// In which the compiler runs: the main file is in it, and headers are found from it by their name in #include.
  const std::filesystem::path& sources() const { return sources_; }
  /// For the compiler's own files; the sources are below it.
  const std::filesystem::path& scratch() const { return folder_.path(); }

  /// A path that a compiler made of a file's name, as the source has the name: "device/warp_reduce.cuh". Other paths
  /// stay.
  std::string name_in_source(const std::string& path) const;
  /// A compiler's text without these folders.
  std::string without_folders(std::string text) const;

 private:
  TemporaryFolder folder_;
  std::filesystem::path sources_;
};

}  // namespace tilescope
