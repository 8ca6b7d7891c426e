#include "app/explorer/folder_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Watched : public testing::Test {
 protected:
  Watched() {
    fs::create_directories(scratch / "root/inner");
    FolderWatch::Callbacks callbacks;
    callbacks.changed = [this] { ++count; };
    callbacks.failed = [](const std::string& sentence) { ADD_FAILURE() << sentence; };
    watch = std::make_unique<FolderWatch>(scratch / "root", callbacks);
    EXPECT_TRUE(heard_since(0)) << "at the start";
  }

  bool heard_since(int before) const {
    for (int i = 0; i < 3000 && count <= before; ++i) std::this_thread::sleep_for(10ms);
    return count > before;
  }
  template <class Change>
  bool is_heard(Change change) {
    const int before = count;
    change();
    return heard_since(before);
  }

  ScratchFolder scratch;
  std::atomic<int> count = 0;
  std::unique_ptr<FolderWatch> watch;
};

TEST_F(Watched, HearsOfFilesHoweverTheyAreSaved) {
  const fs::path file = scratch / "root/inner/kernel.cu";
  EXPECT_TRUE(is_heard([&] { std::ofstream(file) << "one"; }));
  EXPECT_TRUE(is_heard([&] { std::ofstream(file) << "two"; }));
  EXPECT_TRUE(is_heard([&] {
    std::ofstream(scratch / "beside") << "three";
    fs::rename(scratch / "beside", file);
  }));
  EXPECT_TRUE(is_heard([&] { fs::remove(file); }));
}

TEST_F(Watched, HearsOfFoldersThatComeAndGo) {
  EXPECT_TRUE(is_heard([&] { fs::create_directories(scratch / "root/later/deep"); }));
  EXPECT_TRUE(is_heard([&] { std::ofstream(scratch / "root/later/deep/kernel.cu") << "one"; }));
  EXPECT_TRUE(is_heard([&] { fs::rename(scratch / "root/later", scratch / "later"); }));
  EXPECT_TRUE(is_heard([&] { fs::create_directories(scratch / "root/later/deep"); }));
  EXPECT_TRUE(is_heard([&] { std::ofstream(scratch / "root/later/deep/kernel.cu") << "two"; }))
      << "another folder of the same name";
}

TEST_F(Watched, SaysOneChangeOnceAndLooksAgainWhenAsked) {
  std::this_thread::sleep_for(200ms);
  const int before = count;
  std::ofstream file(scratch / "root/kernel.cu");
  for (int i = 0; i < 100; ++i) file << "a line that is flushed by itself" << std::endl;
  EXPECT_TRUE(heard_since(before));
  std::this_thread::sleep_for(300ms);
  EXPECT_LE(count, before + 3) << "a hundred writes of one save";
  EXPECT_TRUE(is_heard([&] { watch->look_again(); }));
}

TEST(FolderWatch, EndsWhileSomethingChanges) {
  const ScratchFolder scratch;
  for (int i = 0; i < 20; ++i) {
    const FolderWatch watch(scratch.path(), {[] {}, [](const std::string&) {}});
    std::ofstream(scratch / "file") << i;
  }
}

}  // namespace
}  // namespace tilescope
