#include "profiler/kernels/compile/file_cache.hpp"

#include <gtest/gtest.h>

#include "base/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class FilesByKey : public ::testing::Test {
 protected:
  fs::path file(const std::string& folder, const std::string& key) const {
    return scratch_.path() / "cache" / folder / (key + ".json");
  }
  FileCache cache(const std::string& folder) const { return {scratch_.path() / "cache" / folder, ".json"}; }
  static void copy(const fs::path& from, const fs::path& to) {
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  }
  test_support::ScratchFolder scratch_;
};

TEST_F(FilesByKey, AnEntryBelongsToItsKeyAndItsFolder) {
  ASSERT_TRUE(cache("a").keep("1", "one"));
  ASSERT_TRUE(cache("a").keep("2", "two"));
  ASSERT_TRUE(cache("b").keep("1", "other"));
  EXPECT_EQ(cache("a").find("1"), "one");
  copy(file("a", "1"), file("a", "2"));
  EXPECT_FALSE(cache("a").find("2")) << "copied over another name";
  copy(file("b", "1"), file("a", "1"));
  EXPECT_FALSE(cache("a").find("1")) << "copied from another folder";
  ASSERT_TRUE(cache("a").keep("1", "again"));
  EXPECT_EQ(cache("a").find("1"), "again");
  copy(file("a", "1"), file("a", "11"));
  EXPECT_FALSE(cache("a").find("11"));
}

TEST_F(FilesByKey, DamagedEmptyAndOldEntriesAreMissing) {
  ASSERT_TRUE(cache("a").keep("1", "one"));
  const std::string good = scratch_.text("cache/a/1.json");
  std::string changed = good;
  changed.back() ^= 1;
  for (const std::string& text : {std::string(), good.substr(0, 8), good.substr(0, good.size() - 1), changed,
                                  good + "x", std::string("without a head")}) {
    scratch_.write("cache/a/1.json", text);
    EXPECT_FALSE(cache("a").find("1")) << text;
  }
  scratch_.write("cache/a/1.json", good);
  EXPECT_EQ(cache("a").find("1"), "one");
}

TEST_F(FilesByKey, PruningLeavesLinksAlone) {
  ASSERT_TRUE(cache("a").keep("1", "one"));
  const fs::path victim = scratch_.write("victim", std::string(1000, 'x'));
  fs::create_symlink(victim, file("a", "link"));
  cache("a").prune(0);
  EXPECT_FALSE(fs::exists(file("a", "1")));
  EXPECT_TRUE(fs::exists(victim));
}

}  // namespace
}  // namespace tilescope
