#include "profiler/process/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsRemovedWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder, other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/b/c") << "text";
    EXPECT_TRUE(fs::exists(path / "a/b/c"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, WhereNoneCanBeMadeItSaysSo) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/proc", 1);
  EXPECT_THROW(TemporaryFolder(), std::system_error);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace tilescope
