#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiler/kernels/compile/compiler_output.hpp"
#include "profiler/kernels/compile/file_cache.hpp"

namespace tilescope {

/// Compiled kernels on disk, by the hash of everything that went into them.
class BinaryCache {
 public:
  explicit BinaryCache(std::filesystem::path folder) : files_(std::move(folder), ".cbor") {}

  std::optional<CompilerOutput> find(const std::string& key) const;
  /// Returns false when the folder cannot be written; compiling then continues without a cache.
  bool keep(const std::string& key, const CompilerOutput& output) const;
  /// Removes the entries that were used longest ago until at most `bytes` are left.
  void prune(std::uintmax_t bytes) const { files_.prune(bytes); }

 private:
  FileCache files_;
};

}  // namespace tilescope
