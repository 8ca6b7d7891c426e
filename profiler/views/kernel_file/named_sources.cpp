#include "profiler/views/kernel_file/named_sources.hpp"

#include <cstdint>
#include <set>
#include <string>
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
    for (const LineTime& line : point.prediction->lines)
      if (const auto inner = file_and_line(line.inlined_place)) names.insert(inner->first);
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
  return named_files(point).contains(name) ? name : point.memory->sites.front().file;
}

}  // namespace

SourceFile named_sources(const LaunchedPoint& point, const fs::path& file) {
  SourceFile source;
  source.name = own_file(point, file);
  std::set<std::string> names = named_files(point);
  names.insert(source.name);
  for (const std::string& name : names) {
    const fs::path extension = fs::path(name).extension();
    if (extension == ".cubin" || extension == ".so" || extension == ".fatbin" || extension.empty()) continue;
    try {
      std::string text = read_regular_file(file.parent_path() / name, largest_source);
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
