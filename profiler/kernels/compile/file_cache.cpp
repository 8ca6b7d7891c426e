#include "profiler/kernels/compile/file_cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

// [B] A large kernel's file has a few megabytes.
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20U;

}  // namespace

// A file is the XXH3 checksum of what follows, 8 bytes, then the head with the key, then the bytes. Files of earlier
// versions have no head and are as good as none.

std::string FileCache::head_of(const std::string& key) const {
  return "tilescope cache 2\n" + folder_.path().filename().string() + "\n" + key + "\n";
}

std::optional<std::string> FileCache::find(const std::string& key) const {
  std::optional<std::string> bytes = folder_.read(key + extension_, largest_file);
  std::uint64_t checksum = 0;
  if (!bytes || bytes->size() <= sizeof checksum) return std::nullopt;
  std::memcpy(&checksum, bytes->data(), sizeof checksum);
  if (XXH3_64bits(bytes->data() + sizeof checksum, bytes->size() - sizeof checksum) != checksum)
    return std::nullopt;
  const std::string head = head_of(key);
  if (bytes->compare(sizeof checksum, head.size(), head) != 0) return std::nullopt;
  bytes->erase(0, sizeof checksum + head.size());
  folder_.touch(key + extension_);  // the time of last use, for prune
  return bytes;
}

bool FileCache::keep(const std::string& key, std::string_view bytes) const {
  std::uint64_t checksum = 0;
  std::string file(sizeof checksum, '\0');
  file += head_of(key);
  file += bytes;
  checksum = XXH3_64bits(file.data() + sizeof checksum, file.size() - sizeof checksum);
  std::memcpy(file.data(), &checksum, sizeof checksum);
  return folder_.write(key + extension_, file);
}

void FileCache::prune(std::uintmax_t bytes) const {
  if (!folder_.problem().empty()) return;
  struct Entry {
    std::filesystem::file_time_type used;
    std::uintmax_t size;
    std::filesystem::path file;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path(), error)) {
    const auto kind = file.symlink_status(error).type();
    if (kind != std::filesystem::file_type::regular) continue;
    const std::uintmax_t size = file.file_size(error);
    if (error) continue;  // another process removed it
    entries.push_back({file.last_write_time(error), size, file.path()});
    total += size;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= bytes) return;
    if (std::filesystem::remove(entry.file, error)) total -= entry.size;
  }
}

}  // namespace tilescope
