#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

constexpr std::size_t write_buffer_bytes = 1 << 20;
constexpr mode_t any_permission_bits = 07777;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close_quietly(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

  /// Some file systems report a full disk only on close.
  void close_or_fail(const std::string& what) {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail(what);
  }

 private:
  void close_quietly() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd_;
};

/// Removes the temporary file unless it has replaced the real one.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void rename_over(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail("cannot put the new file in its place");
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

std::filesystem::path temporary_path_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() / ("." + target.filename().string() + "." + std::to_string(::getpid()) + "-" +
                                 std::to_string(counter++) + ".tmp");
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_pieces(int fd, const std::vector<std::string_view>& pieces) {
  std::string buffer;
  buffer.reserve(write_buffer_bytes);
  for (const std::string_view piece : pieces) {
    if (buffer.size() + piece.size() > write_buffer_bytes) {
      write_all(fd, buffer);
      buffer.clear();
    }
    if (piece.size() > write_buffer_bytes) {
      write_all(fd, piece);
    } else {
      buffer += piece;
    }
  }
  write_all(fd, buffer);
}

/// A rename is only on the disk once its folder is. File systems that cannot flush a folder return EINVAL.
void flush_folder(const std::filesystem::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return;  // A folder may be writable and searchable without being readable.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) fail("cannot flush the folder to the disk");
}

}  // namespace

std::filesystem::path real_path(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file), ignored);
  return ignored ? std::filesystem::absolute(file) : real;
}

std::optional<FileStamp> file_stamp(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec};
}

void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& pieces) {
  const std::filesystem::path target = real_path(file);
  struct stat existing {};
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {
    throw std::system_error(std::make_error_code(std::errc::invalid_argument), "it is not a regular file");
  }

  TemporaryFile temporary(temporary_path_beside(target));
  Descriptor fd(::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (fd.get() < 0) fail("cannot create a file in " + target.parent_path().string());
  if (exists) ::fchmod(fd.get(), existing.st_mode & any_permission_bits);
  write_pieces(fd.get(), pieces);
  if (::fsync(fd.get()) != 0) fail("cannot flush to the disk");
  fd.close_or_fail("cannot close");
  temporary.rename_over(target);
  flush_folder(target.parent_path());
}

}  // namespace tilescope
