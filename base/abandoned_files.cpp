#include "base/abandoned_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t written_by_then = 3600;  // [s]

/// The process in ".NAME.PROCESS-NUMBER.tmp"; nothing for another form.
std::optional<pid_t> maker_in(std::string_view name) {
  constexpr std::string_view ending = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  const std::size_t dot = name.rfind('.'), dash = name.rfind('-');
  if (dot == 0 || dot == std::string_view::npos || dash == std::string_view::npos || dash < dot)
    return std::nullopt;
  const std::string_view process = name.substr(dot + 1, dash - dot - 1), number = name.substr(dash + 1);
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
  };
  pid_t maker = 0;
  if (!is_number(process) || !is_number(number) ||
      std::from_chars(process.data(), process.data() + process.size(), maker).ec != std::errc())
    return std::nullopt;
  return maker;
}

bool has_ended(pid_t process) {
  return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Only the caller's own regular files.
bool is_abandoned(const fs::path& file, pid_t maker) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return false;
  return has_ended(maker) || status.st_mtim.tv_sec + written_by_then < std::time(nullptr);
}

}  // namespace

void remove_abandoned_files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::optional<pid_t> maker = maker_in(entry->path().filename().string());
    if (maker && is_abandoned(entry->path(), *maker)) abandoned.push_back(entry->path());
  }
  for (const fs::path& file : abandoned) fs::remove(file, error);
}

}  // namespace tilescope
