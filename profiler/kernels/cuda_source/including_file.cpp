#include "profiler/kernels/cuda_source/including_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 300;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20U;
constexpr int most_includes = 3;

struct Candidate {
  fs::path path;
  std::string text;
};

bool has_any_extension(const fs::path& path, const std::vector<const char*>& extensions) {
  return std::ranges::find(extensions, path.extension().string()) != extensions.end();
}

bool is_compiled(const fs::path& path) {
  return has_any_extension(path, {".cu", ".cpp", ".cc"});
}

void add_files_of(const fs::path& folder, std::vector<Candidate>& files) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (is_compiled(path) || has_any_extension(path, {".cuh", ".h", ".hpp", ".inl"})) paths.push_back(path);
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    if (files.size() == most_files) return;
    try {
      files.push_back({path, read_regular_file(path, most_bytes)});
    } catch (const UnreadableFile&) {
      continue;
    }
  }
}

// Whether the text has a line #include "name" that is the file, seen from its folder or from one above.
bool includes(const Candidate& candidate, const fs::path& file) {
  constexpr std::string_view directive = "#include";
  const std::string name = file.filename().string();
  const std::string_view text = candidate.text;
  for (std::size_t at = text.find(directive); at != std::string_view::npos;
       at = text.find(directive, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t begin = line.find_first_of("\"<");
    const std::size_t end = begin == std::string_view::npos ? begin : line.find_first_of("\">", begin + 1);
    if (end == std::string_view::npos) continue;
    const fs::path included = line.substr(begin + 1, end - begin - 1);
    if (included.filename() != name) continue;
    std::error_code ignored;
    const fs::path beside = candidate.path.parent_path() / included;
    if (fs::equivalent(beside, file, ignored) || !fs::exists(beside, ignored)) return true;
  }
  return false;
}

bool launches_any(const Candidate& candidate, const std::vector<std::string>& kernels) {
  if (candidate.text.find("<<<") == std::string::npos) return false;
  const auto short_name = [](const std::string& name) { return name.substr(name.rfind(':') + 1); };
  const CudaSource source(candidate.text);
  return std::ranges::any_of(source.launches(), [&](const SourceLaunch& launch) {
    return std::ranges::any_of(
        kernels, [&](const std::string& kernel) { return short_name(kernel) == short_name(launch.kernel); });
  });
}

}  // namespace

std::optional<fs::path> including_file(const fs::path& file, const std::vector<std::string>& kernels,
                                       bool needs_launch) {
  std::vector<Candidate> files;
  add_files_of(file.parent_path(), files);
  if (file.has_parent_path() && file.parent_path().has_relative_path())
    add_files_of(file.parent_path().parent_path(), files);
  std::vector<fs::path> reached = {file};
  std::set<fs::path> known = {file};
  std::optional<fs::path> compiled;
  for (int i = 0; i < most_includes && !reached.empty(); ++i) {
    std::vector<fs::path> next;
    for (const Candidate& candidate : files) {
      const bool is_next =
          !known.contains(candidate.path) &&
          std::ranges::any_of(reached, [&](const fs::path& path) { return includes(candidate, path); });
      if (!is_next) continue;
      known.insert(candidate.path);
      next.push_back(candidate.path);
      if (is_compiled(candidate.path) && !compiled) compiled = candidate.path;
      if (launches_any(candidate, kernels)) return candidate.path;
    }
    reached = std::move(next);
  }
  return needs_launch ? std::nullopt : compiled;
}

}  // namespace tilescope
