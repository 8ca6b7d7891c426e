#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "base/atomic_file.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"

namespace tilescope {

/// The catalogue of a folder, read anew once any of its files has changed.
class CatalogueCache {
 public:
  /// Throws what Catalogue throws.
  const Catalogue& read(const std::filesystem::path& kernels);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::optional<FileStamp>> stamps_;
  std::optional<Catalogue> catalogue_;
};

}  // namespace tilescope
