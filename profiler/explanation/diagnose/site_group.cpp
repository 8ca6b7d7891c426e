#include "profiler/explanation/diagnose/site_group.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/saving.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

bool is_of(const MemorySite& site, bool shared) {
  if (shared) return is_shared_site(site);
  return site.operation.find(".global") != std::string::npos;
}

// Without a declaration at hand the sites are taken for the kernel's own file.
std::string file_of(const KernelDeclaration& kernel, const MemoryCounts& memory) {
  if (kernel.carried_source) return kernel.carried_source->name;
  if (!kernel.source_path.empty()) return kernel.source_path.filename().string();
  return memory.sites.empty() ? "" : memory.sites.front().file;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// "K", "K and V", "K, Q and V"
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::vector<SiteGroup> group_sites(const MemoryCounts& memory, const KernelDeclaration& kernel, bool shared) {
  const std::string kernel_file = file_of(kernel, memory);
  struct Entry {
    SiteGroup group;
    std::vector<std::string> names;
  };
  std::map<std::tuple<std::string, std::string, std::int64_t>, Entry> entries;
  for (const MemorySite& site : memory.sites) {
    if (site.conflicts <= 0 || !is_of(site, shared)) continue;
    const std::string place = place_words(site, kernel_file);
    Entry& entry = entries[{place, site.operation, site.width_bytes}];
    SiteGroup& group = entry.group;
    if (group.place.empty()) {
      group.place = place;
      group.inlined_place = accessing_place(site.inlined);
      group.operation = site.operation;
      group.width_bytes = site.width_bytes;
      group.is_past_l1 =
          site.operation == "cp.async" && site.instruction.find("cp.async.cg") != std::string::npos;
      if (site.file.empty() || site.file == kernel_file) group.line = site.line;
    }
    group.executions += site.executions;
    group.wavefronts += site.wavefronts;
    group.minimum += site.minimum;
    group.excess += site.conflicts;
    group.worst_degree = std::max(group.worst_degree, site.worst_degree);
    for (const auto& [degree, count] : site.degrees) group.degrees[degree] += count;
    add_name(entry.names, site.tile);
  }
  std::vector<SiteGroup> groups;
  for (auto& [key, entry] : entries) {
    entry.group.memory = joined(entry.names);
    groups.push_back(std::move(entry.group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const SiteGroup& a, const SiteGroup& b) { return a.excess > b.excess; });
  return groups;
}

std::optional<double> saving_of(const SiteGroup& group, const std::vector<SiteGroup>& groups,
                                const Measurement& point, std::string_view cause) {
  std::int64_t of_line = 0;
  for (const SiteGroup& other : groups) of_line += other.line == group.line ? other.excess : 0;
  const std::optional<double> saving = saving_without(point, cause, group.line);
  if (!saving || of_line <= 0) return saving;
  return *saving * static_cast<double>(group.excess) / static_cast<double>(of_line);
}

std::string where_words(const SiteGroup& group) {
  return group.memory.empty() ? group.place : group.memory + " (" + group.place + ")";
}

std::string of_total(std::int64_t excess, std::int64_t total) {
  return format_short(excess) + " of " + format_short(total);
}

}  // namespace tilescope
