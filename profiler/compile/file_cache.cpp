#include "profiler/compile/file_cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "sessions/atomic_file.hpp"

namespace tilescope {

// A file is the XXH3 checksum of what follows, 8 bytes, then the bytes.

std::filesystem::path FileCache::file_for(const std::string& key) const {
  return folder_ / (key + extension_);
}

std::optional<std::string> FileCache::find(const std::string& key) const {
  std::ifstream stream(file_for(key), std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream buffer;
  buffer << stream.rdbuf();
  std::string bytes = std::move(buffer).str();
  std::uint64_t checksum = 0;
  if (bytes.size() <= sizeof checksum) return std::nullopt;
  std::memcpy(&checksum, bytes.data(), sizeof checksum);
  bytes.erase(0, sizeof checksum);
  if (XXH3_64bits(bytes.data(), bytes.size()) != checksum) return std::nullopt;
  std::error_code ignored;  // the time of last use, for prune
  std::filesystem::last_write_time(file_for(key), std::filesystem::file_time_type::clock::now(), ignored);
  return bytes;
}

bool FileCache::keep(const std::string& key, std::string_view bytes) const {
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  std::string file(sizeof checksum, '\0');
  std::memcpy(file.data(), &checksum, sizeof checksum);
  file += bytes;
  return write_cache_file(file_for(key), file);
}

void FileCache::prune(std::uintmax_t bytes) const {
  struct Entry {
    std::filesystem::file_time_type used;
    std::uintmax_t size;
    std::filesystem::path file;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
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
