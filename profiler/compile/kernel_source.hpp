#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sessions/session.hpp"

namespace tilescope {

/// A kernel's file with every header of ours that it includes, and with the .json file beside it that declares it.
struct KernelSource {
  SourceFile file;
  /// Hash of the file's name and text and of all its headers.
  std::string sha256;
};

/// Reads a .cu file and, transitively, what it includes with quotation marks, searched for beside the including file
/// and under `include_root` (the kernels' folder). A header that is not found is skipped: the compiler reports its
/// line. Throws std::runtime_error when the file itself cannot be read.
KernelSource read_kernel_source(const std::filesystem::path& cu_file,
                                const std::filesystem::path& include_root);

/// A source that was read elsewhere, with its hash.
KernelSource kernel_source_of(SourceFile file);

/// Sources by their hash, in the user's cache. Sessions take a point's source from here, so that they hold what was
/// compiled even if the file has been edited since.
class SourceStore {
 public:
  explicit SourceStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Stores a source. Returns false when it cannot be written, which is no reason to fail a measurement.
  bool keep(const KernelSource& source) const;
  /// The source with this hash, or nothing when it is missing or has changed.
  std::optional<SourceFile> find(const std::string& sha256) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tilescope
