#include "profiler/kernels/compile/kernel_source.hpp"

#include <utility>

#include "base/json.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/kernels/compile/source_reader.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t largest_stored = std::uint64_t{256} << 20U;  // [B] as JSON

std::string hash_of(const SourceFile& file) {
  // Lengths between the parts, so that different sources never join to the same bytes.
  std::string all;
  const auto append = [&](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
  append(file.name);
  append(file.text);
  for (const auto& [name, text] : file.headers) {
    append(name);
    append(text);
  }
  // Sources without them keep the hash that they had before there were such headers.
  if (!file.hashed_headers.empty()) append("hashed headers");
  for (const auto& [name, hash] : file.hashed_headers) {
    append(name);
    append(hash);
  }
  return sha256(all);
}

}  // namespace

KernelSource read_kernel_source(const std::filesystem::path& cu_file,
                                const std::filesystem::path& include_root) {
  KernelSource source = SourceReader(cu_file, include_root).read();
  source.sha256 = hash_of(source.file);
  return source;
}

SourceFile KernelSource::complete_file() const {
  SourceFile all = file;
  all.headers.insert(private_headers.begin(), private_headers.end());
  return all;
}

KernelSource kernel_source_of(SourceFile file) {
  std::string sha256 = hash_of(file);
  return {std::move(file), std::move(sha256)};
}

std::vector<std::string> missing_headers(const KernelSource& source) {
  std::vector<std::string> names;
  for (const auto& [name, hash] : source.file.hashed_headers) {
    if (!source.private_headers.contains(name)) names.push_back(name);
  }
  return names;
}

bool SourceStore::keep(const KernelSource& source) const {
  {
    const std::lock_guard lock(mutex_);
    std::error_code gone;
    if (kept_.contains(source.sha256) &&
        std::filesystem::is_regular_file(folder_.path() / (source.sha256 + ".json"), gone))
      return true;
  }
  // A file of that name may have been damaged or exchanged.
  if (!find(source.sha256)) {
    const Json document = source.file;
    // A foreign source may hold bytes that are not UTF-8. They are replaced, since an exception would lose the point.
    const std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace);
    if (!folder_.write(source.sha256 + ".json", text)) return false;
  }
  const std::lock_guard lock(mutex_);
  kept_.insert(source.sha256);
  return true;
}

std::optional<SourceFile> SourceStore::find(const std::string& sha256) const {
  const std::optional<std::string> text = folder_.read(sha256 + ".json", largest_stored);
  if (!text) return std::nullopt;
  try {
    auto file = parse_json(*text).get<SourceFile>();
    if (hash_of(file) != sha256) return std::nullopt;
    return file;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace tilescope
