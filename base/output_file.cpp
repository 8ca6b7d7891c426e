#include "base/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/atomic_file.hpp"

namespace tilescope {
namespace {

// The number that follows a folder of descriptors.
std::optional<int> number_behind(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  int number = 0;
  const auto read = std::from_chars(path.data(), path.data() + path.size(), number);
  const bool is_number = read.ec == std::errc{} && read.ptr == path.data() + path.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// The descriptor of this process that a path means. Opening the path of a socket fails, and opening a regular file's
// begins anew at its start.
std::optional<int> descriptor_of(const std::filesystem::path& file) {
  const std::string path = file.lexically_normal().string();
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::optional<int> number = number_behind(path, "/dev/fd/");
  return number ? number : number_behind(path, "/proc/self/fd/");
}

// A reader that has gone is an error of write() meanwhile, not the end of this process.
class WithoutBrokenPipeSignal {
 public:
  WithoutBrokenPipeSignal() : previous_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutBrokenPipeSignal() { std::signal(SIGPIPE, previous_); }
  WithoutBrokenPipeSignal(const WithoutBrokenPipeSignal&) = delete;
  WithoutBrokenPipeSignal& operator=(const WithoutBrokenPipeSignal&) = delete;

 private:
  void (*previous_)(int);
};

// 0, or the error's number.
int write_all(int fd, std::string_view bytes) {
  const WithoutBrokenPipeSignal guard;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void check(const std::filesystem::path& file, int error) {
  if (error != 0) throw UnwritableFile(file, std::strerror(error));
}

void write_as_it_is(const std::filesystem::path& file, std::string_view bytes, int flags = 0) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
  check(file, fd < 0 ? errno : 0);
  const int error = write_all(fd, bytes);
  const int closed = ::close(fd) == 0 ? 0 : errno;
  check(file, error != 0 ? error : closed);
}

}  // namespace

UnwritableFile::UnwritableFile(const std::filesystem::path& file, const std::string& reason)
    : std::runtime_error(file.string() + " cannot be written: " + reason) {}

void write_output_file(const std::filesystem::path& file, std::string_view bytes) {
  if (const auto fd = descriptor_of(file)) return check(file, write_all(*fd, bytes));
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw UnwritableFile(file, "it is a folder");
  if (exists && !S_ISREG(status.st_mode)) return write_as_it_is(file, bytes);
  try {
    replace_file(file, {bytes});
  } catch (const std::system_error& error) {
    throw UnwritableFile(file, error.what());
  }
}

void write_output_file_unflushed(const std::filesystem::path& file, std::string_view bytes) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(file, ignored);
  if (is_pipe_or_device(file) || std::filesystem::is_directory(file, ignored))
    return write_output_file(file, bytes);
  try {
    write_as_it_is(file, bytes, O_CREAT | O_TRUNC);
  } catch (const UnwritableFile&) {
    if (is_new) std::filesystem::remove(file, ignored);
    throw;
  }
}

bool is_pipe_or_device(const std::filesystem::path& file) {
  if (descriptor_of(file)) return true;
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_standard_output(const std::filesystem::path& file) {
  struct stat named {
  }, standard{};
  const std::optional<int> number = descriptor_of(file);
  if ((number ? ::fstat(*number, &named) : ::stat(file.c_str(), &named)) != 0) return false;
  if (::fstat(STDOUT_FILENO, &standard) != 0) return false;
  const bool is_same = named.st_dev == standard.st_dev && named.st_ino == standard.st_ino;
  return is_same && (!S_ISCHR(standard.st_mode) || ::isatty(STDOUT_FILENO) == 1);
}

}  // namespace tilescope
