#include "profiler/compile/binary_cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "sessions/atomic_file.hpp"
#include "sessions/json.hpp"

namespace tilescope {

// An entry is the XXH3 checksum of what follows (8 bytes), then CBOR: {key, log, ptx, cubin}.

std::filesystem::path BinaryCache::file_for(const std::string& key) const {
  return folder_ / (key + ".cbor");
}

std::optional<NvrtcOutput> BinaryCache::find(const std::string& key) const {
  std::ifstream stream(file_for(key), std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream buffer;
  buffer << stream.rdbuf();
  const std::string bytes = std::move(buffer).str();
  std::uint64_t checksum = 0;
  if (bytes.size() <= sizeof checksum) return std::nullopt;
  std::memcpy(&checksum, bytes.data(), sizeof checksum);
  if (XXH3_64bits(bytes.data() + sizeof checksum, bytes.size() - sizeof checksum) != checksum)
    return std::nullopt;
  try {
    const Json entry = Json::from_cbor(bytes.begin() + sizeof checksum, bytes.end());
    if (entry.at("key") != key) return std::nullopt;
    const auto& cubin = entry.at("cubin").get_binary();
    std::error_code ignored;  // the time of last use, for prune
    std::filesystem::last_write_time(file_for(key), std::filesystem::file_time_type::clock::now(), ignored);
    return NvrtcOutput{{cubin.begin(), cubin.end()}, entry.at("ptx"), entry.at("log")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool BinaryCache::keep(const std::string& key, const NvrtcOutput& output) const {
  Json entry = {{"key", key}, {"log", output.log}, {"ptx", output.ptx}};
  entry["cubin"] = Json::binary({output.cubin.begin(), output.cubin.end()});
  std::string bytes(sizeof(std::uint64_t), '\0');
  Json::to_cbor(entry, nlohmann::detail::output_adapter<char, std::string>(bytes));
  const std::uint64_t checksum =
      XXH3_64bits(bytes.data() + sizeof(std::uint64_t), bytes.size() - sizeof(std::uint64_t));
  std::memcpy(bytes.data(), &checksum, sizeof checksum);
  return write_cache_file(file_for(key), bytes);
}

void BinaryCache::prune(std::uintmax_t bytes) const {
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
