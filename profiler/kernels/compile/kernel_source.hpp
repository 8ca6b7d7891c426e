#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cache_folder.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// A kernel's file with every header of ours that it includes, and with the .json file beside it that declares it.
struct KernelSource {
  SourceFile file;
  /// Hash of the file's name and text and of all its headers.
  std::string sha256;
  /// The texts of SourceFile::hashed_headers, for a compiler of this machine alone; none of a source from elsewhere.
  std::map<std::string, std::string> private_headers{};

  /// All texts, for a compiler.
  SourceFile complete_file() const;
};

/// Reads a .cu file and, transitively, what it includes with quotation marks, searched for beside the including file
/// and under `include_root` (the kernels' folder). A header that is not found is skipped: the compiler reports its
/// line. Only headers below the kernel's folder and `include_root` are carried with their text. Throws
/// std::runtime_error when the file itself cannot be read, and CompileFailed with the name of an include that is not a
/// regular file, or is too large, or one too many.
KernelSource read_kernel_source(const std::filesystem::path& cu_file,
                                const std::filesystem::path& include_root);

/// A source that was read elsewhere, with its hash.
KernelSource kernel_source_of(SourceFile file);

/// The names of the headers that a source was carried without.
std::vector<std::string> missing_headers(const KernelSource& source);

/// Sources by their hash, in the user's cache. Sessions take a point's source from here, so that they hold what was
/// compiled even if the file has been edited since.
class SourceStore {
 public:
  explicit SourceStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Stores a source. Returns false when it cannot be written, which must not fail a measurement.
  bool keep(const KernelSource& source) const;
  /// The source with this hash, or nothing when it is missing or has changed.
  std::optional<SourceFile> find(const std::string& sha256) const;

 private:
  CacheFolder folder_;
  mutable std::mutex mutex_;
  /// Under the mutex: the hashes of sources that are known to be there.
  mutable std::set<std::string> kept_;
};

}  // namespace tilescope
