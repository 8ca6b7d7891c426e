#include "base/trusted_path.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <system_error>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
constexpr int max_links = 40;  // as Linux itself

bool is_caller_or_root(uid_t owner) {
  return owner == 0 || owner == ::geteuid();
}

/// "nobody", "uid 4711" where the user database does not have it.
std::string name_of(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const bool is_known =
      ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? found->pw_name : "uid " + std::to_string(user);
}

std::string octal(mode_t mode) {
  std::string digits;
  for (const unsigned shift : {9U, 6U, 3U, 0U}) digits += static_cast<char>('0' + (mode >> shift & 7U));
  return digits;
}

std::string belongs_to(const fs::path& path, uid_t owner) {
  return path.string() + " belongs to " + name_of(owner);
}

std::string may_be_written(const fs::path& path, mode_t mode) {
  return path.string() + " may be written by " + ((mode & S_IWOTH) != 0 ? "every user" : "its group") +
         " (mode " + octal(mode) + ")";
}

/// Says why the path itself is not trusted; "" where it is.
std::string why_untrusted_end(const fs::path& path, const struct stat& status) {
  if (!is_caller_or_root(status.st_uid)) return belongs_to(path, status.st_uid);
  return (status.st_mode & writable_by_others) == 0 ? "" : may_be_written(path, status.st_mode);
}

/// Judges a folder above it, whose owner could exchange it. Inside a user namespace files of the host's root have
/// another owner, as the root folder has. A group that shares a folder above is left to the user: many have a group of
/// their own.
std::string why_untrusted_folder(const fs::path& folder, const struct stat& status) {
  struct stat root {};
  const bool is_of_root = ::stat("/", &root) == 0 && root.st_uid == status.st_uid;
  if (!is_caller_or_root(status.st_uid) && !is_of_root) return belongs_to(folder, status.st_uid);
  const bool is_open = (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
  return is_open ? may_be_written(folder, status.st_mode) : "";
}

std::deque<fs::path> steps_of(const fs::path& path) {
  std::deque<fs::path> steps;
  for (const fs::path& step : path.relative_path()) {
    if (!step.empty() && step != ".") steps.push_back(step);
  }
  return steps;
}

}  // namespace

bool is_trusted(const struct stat& status) {
  return is_caller_or_root(status.st_uid) && (status.st_mode & writable_by_others) == 0;
}

std::string why_untrusted(const fs::path& path) {
  std::error_code error;
  std::deque<fs::path> left = steps_of(fs::absolute(path, error));
  fs::path reached = "/";
  int links = 0;
  while (!left.empty()) {
    const fs::path step = left.front();
    left.pop_front();
    if (step == "..") {
      reached = reached.parent_path();
      continue;
    }
    const fs::path next = reached / step;
    struct stat status {};
    if (::lstat(next.c_str(), &status) != 0) return "";
    if (S_ISLNK(status.st_mode)) {
      if (!is_caller_or_root(status.st_uid)) return belongs_to(next, status.st_uid);
      if (++links > max_links) return path.string() + " is a circle of symbolic links";
      const fs::path target = fs::read_symlink(next, error);
      if (error) return "";
      if (target.is_absolute()) reached = "/";
      const std::deque<fs::path> steps = steps_of(target);
      left.insert(left.begin(), steps.begin(), steps.end());
      continue;
    }
    const std::string why =
        left.empty() ? why_untrusted_end(next, status) : why_untrusted_folder(next, status);
    if (!why.empty()) return why;
    reached = next;
  }
  return "";
}

std::string why_refused(const fs::path& file, const fs::path& downloads) {
  if (downloads.empty() || !file.string().starts_with(downloads.string() + "/")) return "";
  std::string why = why_untrusted(downloads.parent_path());
  for (fs::path one = file; why.empty() && one != downloads.parent_path(); one = one.parent_path())
    why = why_untrusted(one);
  if (why.empty()) return "";
  return file.string() + " is not used, for " + why +
         ": others could have put a program there. Take it back with " +
         "chown and chmod -R go-w, or set XDG_CACHE_HOME to a folder of your own";
}

bool make_private_folders(const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (folder.has_relative_path() && !make_private_folders(fs::absolute(folder).parent_path())) return false;
  return ::mkdir(folder.c_str(), S_IRWXU) == 0 || (errno == EEXIST && fs::is_directory(folder, error));
}

}  // namespace tilescope
