#include "profiler/views/kernel_file/named_sources.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/regular_file.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_source = 4 << 20;

std::set<std::string> named_files(const LaunchedPoint& point) {
  std::set<std::string> names;
  if (point.prediction) {
    for (const LineTime& line : point.prediction->lines) {
      if (!line.file.empty()) names.insert(line.file);
      if (const auto inner = file_and_line(line.inlined_place)) names.insert(inner->first);
    }
  }
  if (!point.memory) return names;
  for (const MemorySite& site : point.memory->sites) {
    if (!site.file.empty()) names.insert(site.file);
    if (const auto inner = file_and_line(accessing_place(site.inlined))) names.insert(inner->first);
  }
  return names;
}

/// The kernel's own file is the one that was opened, or the one that a binary was compiled from.
std::string own_file(const LaunchedPoint& point, const fs::path& file) {
  std::string name = file.filename().string();
  if (!point.memory || point.memory->sites.empty() || file.extension() == ".cu") return name;
  // A place without a file is in the one that was compiled.
  const std::string& first = point.memory->sites.front().file;
  return first.empty() || named_files(point).contains(name) ? name : first;
}

// Files with these names below the folder of `file`, those beside it left out: line information has names without folders.
// Empty for a name that several files have.
std::map<std::string, fs::path> sources_below(const fs::path& file, const std::set<std::string>& names) {
  constexpr int most_folders_deep = 3;
  constexpr int most_entries = 5000;
  std::map<std::string, fs::path> found;
  if (names.empty()) return found;
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (int entries = 0; !error && at != end && entries < most_entries; at.increment(error), ++entries) {
    if (at.depth() >= most_folders_deep) at.disable_recursion_pending();
    const std::string name = at->path().filename().string();
    if (!names.contains(name)) continue;
    const auto [place, is_new] = found.try_emplace(name, at->path());
    if (!is_new) place->second.clear();
  }
  return found;
}

bool holds_code(const std::string& name) {
  const fs::path extension = fs::path(name).extension();
  return extension == ".cubin" || extension == ".so" || extension == ".fatbin" || extension.empty();
}

}  // namespace

SourceFile named_sources(const LaunchedPoint& point, const fs::path& file) {
  SourceFile source;
  source.name = own_file(point, file);
  std::set<std::string> names = named_files(point);
  names.insert(source.name);
  std::erase_if(names, holds_code);
  std::set<std::string> elsewhere;
  std::error_code ignored;
  for (const std::string& name : names)
    if (!fs::exists(file.parent_path() / name, ignored)) elsewhere.insert(name);
  const std::map<std::string, fs::path> below = sources_below(file, elsewhere);
  for (const std::string& name : names) {
    const auto found = below.find(name);
    try {
      std::string text =
          read_regular_file(found == below.end() ? file.parent_path() / name : found->second, largest_source);
      // A wheel, or another file that holds code.
      if (text.find('\0') != std::string::npos) continue;
      if (name == source.name) {
        source.text = std::move(text);
      } else {
        source.headers[name] = std::move(text);
      }
    } catch (const UnreadableFile&) {
      // It lies elsewhere: its lines have no text.
    }
  }
  return source;
}

}  // namespace tilescope
