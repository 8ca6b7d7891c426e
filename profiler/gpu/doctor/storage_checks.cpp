// The folders of downloads, compiled kernels and sessions.
#include <fmt/format.h>
#include <unistd.h>

#include "profiler/gpu/doctor/checks.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr double bytes_per_mb = 1e6, bytes_per_gb = 1e9;
// The compiled kernels are pruned at 1 GiB, and the other NVRTC with its headers takes 0.25 GB.
constexpr std::uintmax_t wanted_for_cache = 1'300'000'000;  // [B]
constexpr std::uintmax_t wanted_for_data = 100'000'000;     // [B] a hundred sessions, each of a sweep

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t sum = 0;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable)) {
      const std::uintmax_t size = entry->file_size(unreadable);
      if (!unreadable) sum += size;
    }
  }
  return sum;
}

bool can_be_written(const fs::path& folder) {
  const fs::path existing = nearest_existing(folder);
  std::error_code error;
  return fs::is_directory(existing, error) && ::access(existing.c_str(), W_OK | X_OK) == 0;
}

std::string size_text(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < bytes_per_gb) return fmt::format("{:.0f} MB", size / bytes_per_mb);
  return fmt::format("{:.1f} GB", size / bytes_per_gb);
}

}  // namespace

MachineCheck check_cache(const Machine& machine) {
  const fs::path& cache = machine.installation.cache;
  MachineCheck check{"cache", CheckState::ok, "", ""};
  std::error_code error;
  if (fs::exists(cache, error)) {
    check.found =
        fmt::format("{}, {}: {} of downloads, {} of compiled kernels", cache.string(),
                    size_text(bytes_below(cache)), size_text(bytes_below(machine.installation.dependencies)),
                    size_text(bytes_below(cache / "binaries")));
  } else {
    check.found = cache.string() + ", does not exist yet";
  }
  const std::vector<std::string>& problems = machine.installation.problems;
  if (!problems.empty()) {
    check.state = CheckState::warning;
    check.found += ", not used";
    for (const std::string& problem : problems) check.advice += (check.advice.empty() ? "" : " ") + problem;
  } else if (!can_be_written(cache)) {
    check.state = CheckState::warning;
    check.found += ", cannot be written";
    check.advice =
        "Every kernel is compiled again each time: set XDG_CACHE_HOME to a folder that you may write.";
  }
  return check;
}

MachineCheck check_disk(const Machine& machine) {
  struct Place {
    const char* name;
    const char* variable;
    const fs::path& folder;
    std::uintmax_t wanted;
  };
  const Installation& installation = machine.installation;
  MachineCheck check{"disk", CheckState::ok, "", ""};
  for (const Place& place : {Place{"the cache", "XDG_CACHE_HOME", installation.cache, wanted_for_cache},
                             Place{"the sessions", "XDG_DATA_HOME", installation.data, wanted_for_data}}) {
    const std::optional<std::uintmax_t> bytes = machine.free_bytes(place.folder);
    if (!check.found.empty()) check.found += ", ";
    check.found += fmt::format("{} free for {} in {}", bytes ? size_text(*bytes) : "unknown space",
                               place.name, place.folder.string());
    if (bytes && *bytes >= place.wanted) continue;
    check.state = CheckState::warning;
    if (!check.advice.empty()) check.advice += ' ';
    check.advice += fmt::format("Free {} for {}, or set {} to a folder on another disk.",
                                size_text(place.wanted), place.name, place.variable);
  }
  return check;
}

}  // namespace tilescope
