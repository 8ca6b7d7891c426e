#include "base/file_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class Lock : public testing::Test {
 protected:
  Lock() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-lock-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ / "session.json";
  }
  ~Lock() override { fs::remove_all(folder_); }

  fs::path folder_;
  fs::path file_;
};

TEST_F(Lock, ExcludesOthersAndLeavesNothingBehind) {
  {
    const FileLock lock(file_);
    EXPECT_TRUE(fs::exists(lock_file_of(file_)));
    EXPECT_THROW(FileLock(file_, {milliseconds(0)}), LockTimeout);
    const FileLock of_another(folder_ / "other.json", {milliseconds(0)});
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  const FileLock again(file_, {milliseconds(0)});
}

TEST_F(Lock, IsOneForAFileAndItsLinks) {
  std::ofstream(file_) << "{}";
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink(file_, folder_ / "elsewhere/link.json");
  const FileLock lock(folder_ / "elsewhere/link.json");
  EXPECT_THROW(FileLock(file_, {milliseconds(0)}), LockTimeout);
}

TEST_F(Lock, SaysThatItWaitsOnceAndWhoIsWaitedFor) {
  auto held = std::make_unique<FileLock>(file_);
  int said = 0;
  try {
    const FileLock second(file_, {milliseconds(60), [&said] { ++said; }, milliseconds(10)});
    FAIL();
  } catch (const LockTimeout& error) {
    EXPECT_NE(std::string(error.what()).find(lock_file_of(file_).string()), std::string::npos);
  }
  EXPECT_EQ(said, 1);
  // Its holder frees it: the one that waits gets it.
  const FileLock third(file_, {milliseconds(60000), [&held] { held.reset(); }, milliseconds(1)});
}

TEST_F(Lock, OfAProgramThatWasKilledIsTakenOver) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock lock(file_);
    const char byte = 'x';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THROW(FileLock(file_, {milliseconds(0)}), LockTimeout);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_TRUE(fs::exists(lock_file_of(file_))) << "the killed program could not remove it";
  { const FileLock lock(file_, {milliseconds(0)}); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Lock, IsNotHinderedByWhatStandsInItsPlace) {
  const fs::path lock_file = lock_file_of(file_);
  std::ofstream(lock_file) << "text";
  { const FileLock lock(file_, {milliseconds(0)}); }
  ASSERT_EQ(::mkfifo(lock_file.c_str(), 0600), 0);
  { const FileLock lock(file_, {milliseconds(0)}); }
  std::ofstream(folder_ / "precious") << "text";
  fs::create_symlink(folder_ / "precious", lock_file);
  EXPECT_THROW(FileLock(file_, {milliseconds(0)}), std::system_error) << "links are not followed";
  EXPECT_TRUE(fs::exists(folder_ / "precious"));
}

TEST_F(Lock, NeedsAFolder) {
  try {
    const FileLock lock(folder_ / "none/session.json");
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot create a file in"), std::string::npos) << error.what();
  }
}

TEST_F(Lock, IsHeldByOneThreadAtATime) {
  constexpr int threads = 8, rounds = 50;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  int count = 0;  // Not atomic: the lock is all that protects it.
  {
    std::vector<std::jthread> all;
    all.reserve(threads);
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const FileLock lock(file_, {std::chrono::minutes(5)});
          most = std::max(most.load(), ++inside);
          ++count;
          --inside;
        }
      });
    }
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(count, threads * rounds);
}

}  // namespace
}  // namespace tilescope
