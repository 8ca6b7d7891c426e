#include "base/trusted_path.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

class TrustedPath : public ::testing::Test {
 protected:
  fs::path folder(const std::string& name, mode_t mode) const {
    const fs::path path = scratch_.path() / name;
    fs::create_directories(path);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  test_support::ScratchFolder scratch_;
};

TEST_F(TrustedPath, OfTheCallerIsTrustedWhereNobodyElseMayWrite) {
  EXPECT_EQ(why_untrusted(folder("own", 0755)), "");
  EXPECT_EQ(why_untrusted(scratch_.path() / "missing/below"), "");
  EXPECT_EQ(why_untrusted("/usr/bin"), "") << "it is root's";
}

TEST_F(TrustedPath, WhatOthersMayWriteIsNot) {
  const fs::path open = folder("open", 0777), of_group = folder("of_group", 0770),
                 sticky = folder("sticky", 01777);
  EXPECT_EQ(why_untrusted(open), open.string() + " may be written by every user (mode 0777)");
  EXPECT_EQ(why_untrusted(of_group), of_group.string() + " may be written by its group (mode 0770)");
  EXPECT_NE(why_untrusted(sticky), "") << "others may put files there";
  const fs::path file = scratch_.write("file", "");
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_NE(why_untrusted(file), "");
}

TEST_F(TrustedPath, OthersMayExchangeWhatLiesInAFolderThatTheyMayWrite) {
  const fs::path open = folder("open", 0755), inside = folder("open/inside", 0700);
  EXPECT_EQ(why_untrusted(inside), "");
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  EXPECT_NE(why_untrusted(inside), "");
  EXPECT_NE(why_untrusted(open / "not made yet"), "");
  ASSERT_EQ(::chmod(open.c_str(), 01777), 0);
  EXPECT_EQ(why_untrusted(inside), "") << "a sticky folder keeps its entries";
}

TEST_F(TrustedPath, LinksAreFollowed) {
  const fs::path open = folder("open", 0777), own = folder("own", 0700);
  fs::create_directory_symlink(open, scratch_.path() / "to_open");
  fs::create_directory_symlink("own", scratch_.path() / "to_own");
  fs::create_directory_symlink("../to_own", own / "back");
  fs::create_symlink("circle", scratch_.path() / "circle");
  EXPECT_NE(why_untrusted(scratch_.path() / "to_open"), "");
  EXPECT_NE(why_untrusted(scratch_.path() / "to_open/below"), "");
  EXPECT_EQ(why_untrusted(scratch_.path() / "to_own"), "");
  EXPECT_EQ(why_untrusted(own / "back/back"), "");
  EXPECT_NE(why_untrusted(scratch_.path() / "circle").find("circle of symbolic links"), std::string::npos);
}

TEST_F(TrustedPath, TheFilesOfAnotherUserAreNot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const fs::path folder_of_other = folder("other", 0755), inside = folder("other/inside", 0755);
  ASSERT_EQ(::chown(folder_of_other.c_str(), nobody, nobody), 0);
  EXPECT_TRUE(why_untrusted(folder_of_other).starts_with(folder_of_other.string() + " belongs to "));
  EXPECT_NE(why_untrusted(inside), "") << "its owner may exchange it";
  const fs::path link = scratch_.path() / "link";
  fs::create_directory_symlink(folder("own", 0700), link);
  ASSERT_EQ(::lchown(link.c_str(), nobody, nobody), 0);
  EXPECT_NE(why_untrusted(link), "");
}

TEST_F(TrustedPath, WhatIsRunFromTheDownloadsSaysWhatToDo) {
  const fs::path downloads = folder("cache/dependencies", 0755);
  const fs::path program = scratch_.write("cache/dependencies/tool/tool", "");
  EXPECT_EQ(why_refused(program, downloads), "");
  ASSERT_EQ(::chmod(program.parent_path().c_str(), 0775), 0);
  EXPECT_NE(why_refused(program, downloads).find("XDG_CACHE_HOME"), std::string::npos);
  ASSERT_EQ(::chmod(program.parent_path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(program.c_str(), 0757), 0);
  EXPECT_NE(why_refused(program, downloads), "");
  EXPECT_EQ(why_refused(program, scratch_.path() / "elsewhere"), "") << "that is the caller's own choice";
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  ASSERT_EQ(::chmod((scratch_.path() / "cache").c_str(), 0777), 0);
  EXPECT_NE(why_refused(program, downloads), "");
}

TEST_F(TrustedPath, NewFoldersArePrivate) {
  const fs::path made = scratch_.path() / "a/b/c";
  ASSERT_TRUE(make_private_folders(made));
  for (const fs::path& one : {made, made.parent_path()})
    EXPECT_EQ(fs::status(one).permissions(), fs::perms::owner_all) << one;
  EXPECT_TRUE(make_private_folders(made));
  EXPECT_FALSE(make_private_folders("/dev/null/a"));
}

}  // namespace
}  // namespace tilescope
