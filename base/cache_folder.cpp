#include "base/cache_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/abandoned_files.hpp"
#include "base/trusted_path.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_first_write_to(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(folder).second;
}

class OpenFile {
 public:
  OpenFile(const fs::path& file, int flags, mode_t mode = 0)
      : fd_(::open(file.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode)) {}
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  /// Some file systems report a full disk only here.
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

/// Reads `text.size()` bytes, and nothing more.
bool read_all(int fd, std::string& text) {
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = ::read(fd, text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    filled += static_cast<std::size_t>(count);
  }
  return true;
}

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string temporary_name(const std::string& name) {
  static std::atomic<unsigned> counter{0};
  return "." + name + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

/// The folder and its parent: a user who may write either may exchange entries.
std::string why_not_used(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return folder.string() + " is not a folder of its own";
  if (std::string why = why_untrusted(folder.parent_path()); !why.empty()) return why;
  return why_untrusted(folder);
}

}  // namespace

CacheFolder::CacheFolder(fs::path folder) : folder_(std::move(folder)), problem_(why_not_used(folder_)) {}

std::optional<std::string> CacheFolder::read(const std::string& name, std::uint64_t max_bytes) const {
  if (!problem_.empty()) return std::nullopt;
  const OpenFile file(folder_ / name, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.fd(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || !is_trusted(status)) return std::nullopt;
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.fd(), text)) return std::nullopt;
  return text;
}

bool CacheFolder::write(const std::string& name, std::string_view bytes) const {
  if (!problem_.empty() || !make_private_folders(folder_)) return false;
  if (is_first_write_to(folder_)) remove_abandoned_files_in(folder_);
  // Damage after a crash is found on reading: an entry need not be flushed to the disk.
  const fs::path temporary = folder_ / temporary_name(name);
  OpenFile file(temporary, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (!file.is_open()) return false;
  const bool is_written = write_whole(file.fd(), bytes);
  if (file.close() && is_written && ::rename(temporary.c_str(), (folder_ / name).c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

void CacheFolder::touch(const std::string& name) const {
  ::utimensat(AT_FDCWD, (folder_ / name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

}  // namespace tilescope
