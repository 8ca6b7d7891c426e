#include "profiler/kernels/compile/binary_cache.hpp"

#include "base/json.hpp"

namespace tilescope {

// An entry is CBOR: {key, log, ptx, cubin}.

std::optional<CompilerOutput> BinaryCache::find(const std::string& key) const {
  const std::optional<std::string> bytes = files_.find(key);
  if (!bytes) return std::nullopt;
  try {
    const Json entry = Json::from_cbor(*bytes);
    if (entry.at("key") != key) return std::nullopt;
    const auto& cubin = entry.at("cubin").get_binary();
    return CompilerOutput{{cubin.begin(), cubin.end()}, entry.at("ptx"), entry.at("log")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool BinaryCache::keep(const std::string& key, const CompilerOutput& output) const {
  Json entry = {{"key", key}, {"log", output.log}, {"ptx", output.ptx}};
  entry["cubin"] = Json::binary({output.cubin.begin(), output.cubin.end()});
  std::string bytes;
  Json::to_cbor(entry, nlohmann::detail::output_adapter<char, std::string>(bytes));
  return files_.keep(key, bytes);
}

}  // namespace tilescope
