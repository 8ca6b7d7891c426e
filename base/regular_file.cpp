#include "base/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void refuse(const std::filesystem::path& file, const char* what, int error) {
  throw UnreadableFile(file, std::string(what) + ": " + std::generic_category().message(error), error);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// "64 MiB", "1,000 bytes"
std::string size_text(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30U, " GiB"}, {20U, " MiB"}, {10U, " KiB"}}) {
    if (bytes >> shift > 0 && bytes % (std::uint64_t{1} << shift) == 0)
      return std::to_string(bytes >> shift) + unit;
  }
  return std::to_string(bytes) + " bytes";
}

[[noreturn]] void refuse_size(const std::filesystem::path& file, std::uint64_t max_bytes) {
  throw UnreadableFile(file, "it is larger than " + size_text(max_bytes) + ", the largest size that is read");
}

void refuse_other_kinds(const std::filesystem::path& file, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return;
  throw UnreadableFile(file,
                       std::string("it is ") + kind_of(status.st_mode) + "; only regular files are read");
}

/// The size that the system reports; 0 for files that have none.
std::uint64_t checked_size(const std::filesystem::path& file, int fd, std::uint64_t max_bytes) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse(file, "cannot be read", errno);
  refuse_other_kinds(file, status);
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (size > max_bytes) refuse_size(file, max_bytes);
  return size;
}

}  // namespace

UnreadableFile::UnreadableFile(const std::filesystem::path& file, const std::string& reason, int error)
    : std::runtime_error(file.string() + ": " + reason), reason_(reason), error_(error) {}

bool UnreadableFile::is_missing() const {
  return error_ == ENOENT || error_ == ENOTDIR;
}

std::string reason_without_file(const std::exception& error) {
  const auto* unreadable = dynamic_cast<const UnreadableFile*>(&error);
  return unreadable != nullptr ? unreadable->reason() : error.what();
}

std::string read_regular_file(const std::filesystem::path& file, std::uint64_t max_bytes) {
  struct stat status {};  // Before it is opened: opening a device may do something.
  if (::stat(file.c_str(), &status) == 0) refuse_other_kinds(file, status);
  // The file may have been exchanged since; without O_NONBLOCK, opening a pipe waits for its writer.
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd.get() < 0) refuse(file, "cannot be opened", errno);
  const std::uint64_t size = checked_size(file, fd.get(), max_bytes);
  constexpr std::size_t piece = 1U << 16U;  // Files of /proc have the size 0 and yet a content.
  std::string text;
  std::size_t filled = 0;
  text.resize(size + piece);
  while (true) {
    const ssize_t count = ::read(fd.get(), text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(file, "cannot be read", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > max_bytes) refuse_size(file, max_bytes);
    if (filled == text.size()) text.resize(text.size() + piece);
  }
  text.resize(filled);
  return text;
}

}  // namespace tilescope
