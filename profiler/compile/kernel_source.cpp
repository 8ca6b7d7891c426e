#include "profiler/compile/kernel_source.hpp"

#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "profiler/compile/hash.hpp"
#include "sessions/atomic_file.hpp"
#include "sessions/json.hpp"

namespace tilescope {
namespace {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re");
  std::vector<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

void collect_headers(const std::string& text, const std::filesystem::path& folder,
                     const std::filesystem::path& include_root, std::map<std::string, std::string>& headers) {
  for (const std::string& name : quoted_includes(text)) {
    if (headers.contains(name)) continue;
    for (const std::filesystem::path& file : {folder / name, include_root / name}) {
      const std::optional<std::string> header = read_text(file);
      if (!header) continue;
      headers[name] = *header;
      collect_headers(*header, file.parent_path(), include_root, headers);
      break;
    }
  }
}

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
  return sha256(all);
}

}  // namespace

KernelSource read_kernel_source(const std::filesystem::path& cu_file,
                                const std::filesystem::path& include_root) {
  const std::optional<std::string> text = read_text(cu_file);
  if (!text) throw std::runtime_error("the kernel's file " + cu_file.string() + " cannot be read");
  KernelSource source;
  source.file.name = cu_file.filename().string();
  source.file.text = *text;
  collect_headers(*text, cu_file.parent_path(), include_root, source.file.headers);
  // The .json file beside a kernel describes its launch, so another file makes another point.
  const std::filesystem::path sidecar = std::filesystem::path(cu_file).replace_extension(".json");
  if (sidecar != cu_file) {
    if (const std::optional<std::string> declaration = read_text(sidecar))
      source.file.headers[sidecar.filename().string()] = *declaration;
  }
  source.sha256 = hash_of(source.file);
  return source;
}

KernelSource kernel_source_of(SourceFile file) {
  std::string sha256 = hash_of(file);
  return {std::move(file), std::move(sha256)};
}

bool SourceStore::keep(const KernelSource& source) const {
  const std::filesystem::path file = folder_ / (source.sha256 + ".json");
  if (std::filesystem::exists(file)) return true;
  const Json document = source.file;
  // A foreign source may hold bytes that are not UTF-8. They are replaced, since an exception would lose the point.
  return write_cache_file(file, document.dump(1, ' ', false, Json::error_handler_t::replace));
}

std::optional<SourceFile> SourceStore::find(const std::string& sha256) const {
  const std::optional<std::string> text = read_text(folder_ / (sha256 + ".json"));
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
