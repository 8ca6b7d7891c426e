#include "base/cache_folder.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/abandoned_files.hpp"
#include "base/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t large = 1000;

class CacheFolderTest : public ::testing::Test {
 protected:
  fs::path folder() const { return scratch_.path() / "cache/entries"; }
  test_support::ScratchFolder scratch_;
};

TEST_F(CacheFolderTest, KeepsBytes) {
  const CacheFolder cache(folder());
  EXPECT_FALSE(cache.read("a", large));
  ASSERT_TRUE(cache.write("a", std::string("x\0y", 3)));
  EXPECT_EQ(cache.read("a", large), std::string("x\0y", 3));
  ASSERT_TRUE(cache.write("a", ""));
  EXPECT_EQ(cache.read("a", large), "");
  ASSERT_TRUE(cache.write("b", std::string(large + 1, 'x')));
  EXPECT_FALSE(cache.read("b", large)) << "larger than the reader allows";
}

TEST_F(CacheFolderTest, LinksAreReplacedAndNeverFollowed) {
  const CacheFolder cache(folder());
  ASSERT_TRUE(cache.write("kept", "1"));
  const fs::path victim = scratch_.write("victim", "of the user");
  for (const fs::path& target : {victim, scratch_.path() / "missing", fs::path("kept")}) {
    fs::remove(folder() / "a");
    fs::create_symlink(target, folder() / "a");
    EXPECT_FALSE(cache.read("a", large)) << target;
    cache.touch("a");
    ASSERT_TRUE(cache.write("a", "new")) << target;
    EXPECT_EQ(cache.read("a", large), "new");
    EXPECT_FALSE(fs::is_symlink(folder() / "a"));
  }
  EXPECT_EQ(scratch_.text("victim"), "of the user");
  EXPECT_FALSE(fs::exists(scratch_.path() / "missing"));
  EXPECT_EQ(cache.read("kept", large), "1");
}

TEST_F(CacheFolderTest, WhatIsNoRegularFileIsNotRead) {
  const CacheFolder cache(folder());
  ASSERT_TRUE(cache.write("a", "1"));
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder() / "folder");
  EXPECT_FALSE(cache.read("pipe", large)) << "and it does not wait for a writer";
  EXPECT_FALSE(cache.read("folder", large));
  ASSERT_TRUE(cache.write("pipe", "2"));
  EXPECT_EQ(cache.read("pipe", large), "2");
  EXPECT_FALSE(cache.write("folder", "3"));
}

TEST_F(CacheFolderTest, WhatOthersMayWriteIsNotUsed) {
  ASSERT_TRUE(CacheFolder(folder()).write("a", "1"));
  ASSERT_EQ(::chmod((folder() / "a").c_str(), 0666), 0);
  EXPECT_FALSE(CacheFolder(folder()).read("a", large)) << "an entry";
  ASSERT_EQ(::chmod((folder() / "a").c_str(), 0600), 0);
  for (const fs::path& open : {folder(), folder().parent_path()}) {
    ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
    const CacheFolder cache(folder());
    EXPECT_NE(cache.problem(), "") << open;
    EXPECT_FALSE(cache.read("a", large)) << open;
    EXPECT_FALSE(cache.write("b", "2")) << open;
    ASSERT_EQ(::chmod(open.c_str(), 0700), 0);
  }
  EXPECT_EQ(CacheFolder(folder()).read("a", large), "1");
}

TEST_F(CacheFolderTest, AFolderThatIsALinkIsNotUsed) {
  fs::create_directories(scratch_.path() / "elsewhere");
  fs::create_directories(folder().parent_path());
  fs::create_directory_symlink(scratch_.path() / "elsewhere", folder());
  EXPECT_FALSE(CacheFolder(folder()).write("a", "1"));
  EXPECT_TRUE(fs::is_empty(scratch_.path() / "elsewhere"));
}

TEST_F(CacheFolderTest, TheEntriesOfAnotherUserAreNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const CacheFolder cache(folder());
  ASSERT_TRUE(cache.write("a", "1"));
  ASSERT_EQ(::chown((folder() / "a").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache.read("a", large));
  ASSERT_TRUE(cache.write("a", "2"));
  EXPECT_EQ(cache.read("a", large), "2");
}

/// The number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(CacheFolderTest, TemporaryFilesOfKilledProcessesGo) {
  const std::string ended = std::to_string(ended_process()), alive = std::to_string(::getppid());
  const auto write = [&](const std::string& name) { return scratch_.write("cache/entries/" + name, "half"); };
  const fs::path of_ended = write(".a.json." + ended + "-0.tmp"),
                 of_alive = write(".a.json." + alive + "-3.tmp"), old = write(".b." + alive + "-12.tmp");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  const std::vector<fs::path> others{write("a.json." + ended + "-0.tmp"), write(".a." + ended + ".tmp"),
                                     write(".a.json." + ended + "-x.tmp"), write("." + ended + "-1.tmp"),
                                     write(".a.json." + ended + "-0.tmp.txt")};
  fs::create_symlink(others[0], folder() / (".link." + ended + "-0.tmp"));
  for (const fs::path& one : {folder(), folder().parent_path()}) fs::permissions(one, fs::perms::owner_all);
  ASSERT_TRUE(CacheFolder(folder()).write("a.json", "1"));
  EXPECT_FALSE(fs::exists(of_ended));
  EXPECT_FALSE(fs::exists(old)) << "no write takes an hour";
  EXPECT_TRUE(fs::exists(of_alive));
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_TRUE(fs::is_symlink(folder() / (".link." + ended + "-0.tmp")));
  remove_abandoned_files_in(scratch_.path() / "missing");
}

}  // namespace
}  // namespace tilescope
