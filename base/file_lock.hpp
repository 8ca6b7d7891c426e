#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>

namespace tilescope {

/// How long a lock is waited for.
struct LockPatience {
  std::chrono::milliseconds limit = std::chrono::seconds(30);
  /// Called once, where the lock is not free after `quiet`.
  std::function<void()> waiting = {};
  std::chrono::milliseconds quiet = std::chrono::seconds(1);
};

/// Another program held the lock for as long as the caller waits: the message says how long and which lock it is.
class LockTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The right to replace a file, which one program at a time has: between the last look at the file and its rename
/// no other program writes it. The lock belongs to an empty file beside it, ".NAME.lock", since the file itself is
/// replaced. The kernel frees it when its program ends, however that ends, and a lock file that was left behind is
/// taken over: it does no harm.
class FileLock {
 public:
  /// Waits for the lock of the file at this path, links followed. Throws LockTimeout, and std::system_error where no
  /// file can be made beside it.
  explicit FileLock(const std::filesystem::path& file, const LockPatience& patience = {});
  /// Removes the lock file and frees the lock.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path lock_file_;
  int descriptor_ = -1;
};

/// Path of a file's lock.
std::filesystem::path lock_file_of(const std::filesystem::path& file);

}  // namespace tilescope
