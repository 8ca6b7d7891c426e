#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "base/atomic_file.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// A lock file needs no content and no right but to be opened. Nothing that another user put there instead is followed
/// or waited for.
int open_lock(const std::filesystem::path& file) {
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  while (true) {
    // First without O_CREAT: in folders such as /tmp the kernel refuses it for another user's file.
    int descriptor = ::open(file.c_str(), flags);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    descriptor = ::open(file.c_str(), flags | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

/// Whether the locked file is still the one at its path: its last owner may have removed it.
bool is_current(int descriptor, const std::filesystem::path& file) {
  struct stat held {
  }, there{};
  return ::fstat(descriptor, &held) == 0 && ::lstat(file.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

enum class Attempt { locked, busy, without_locks };

Attempt try_lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return Attempt::busy;
    // A file system without locks: as good as can be had there.
    if (errno != EINTR) return Attempt::without_locks;
  }
  return Attempt::locked;
}

std::string seconds_text(std::chrono::milliseconds time) {
  return std::to_string((time.count() + 999) / 1000) + " s";
}

}  // namespace

std::filesystem::path lock_file_of(const std::filesystem::path& file) {
  const std::filesystem::path real = real_path(file);
  return real.parent_path() / ("." + real.filename().string() + ".lock");
}

FileLock::FileLock(const std::filesystem::path& file, const LockPatience& patience)
    : lock_file_(lock_file_of(file)) {
  const Clock::time_point start = Clock::now();
  std::chrono::milliseconds pause(1);
  bool is_quiet = static_cast<bool>(patience.waiting);
  while (true) {
    const int descriptor = open_lock(lock_file_);
    if (descriptor < 0) {
      throw std::system_error(errno, std::generic_category(),
                              "cannot create a file in " + lock_file_.parent_path().string());
    }
    const Attempt attempt = try_lock(descriptor);
    if (attempt == Attempt::without_locks ||
        (attempt == Attempt::locked && is_current(descriptor, lock_file_))) {
      descriptor_ = descriptor;
      return;
    }
    ::close(descriptor);
    if (attempt == Attempt::locked) continue;
    const auto waited = Clock::now() - start;
    if (waited >= patience.limit) {
      throw LockTimeout("another program has been writing it for " + seconds_text(patience.limit) +
                        " (it holds the lock of " + lock_file_.string() + ")");
    }
    if (is_quiet && waited >= patience.quiet) {
      is_quiet = false;
      patience.waiting();
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(16));
  }
}

FileLock::~FileLock() {
  // While it is locked: another program that has it open sees that it is no longer the one at the path.
  if (is_current(descriptor_, lock_file_)) ::unlink(lock_file_.c_str());
  ::close(descriptor_);
}

}  // namespace tilescope
