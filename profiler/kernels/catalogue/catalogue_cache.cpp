#include "profiler/kernels/catalogue/catalogue_cache.hpp"

namespace tilescope {

const Catalogue& CatalogueCache::read(const std::filesystem::path& kernels) {
  // Before the files are read: one that changes meanwhile is read again the next time.
  std::map<std::filesystem::path, std::optional<FileStamp>> stamps;
  for (const std::filesystem::path& file : declaration_files(kernels)) stamps.emplace(file, file_stamp(file));
  if (!catalogue_ || folder_ != kernels || stamps != stamps_) {
    catalogue_.emplace(kernels);
    folder_ = kernels;
    stamps_ = std::move(stamps);
  }
  return *catalogue_;
}

}  // namespace tilescope
