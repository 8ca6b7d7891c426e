#include "profiler/gpu/baselines/library_search.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/gpu/baselines/tests/library_folders.hpp"

namespace tilescope {
namespace {

constexpr const char* variable = "TILESCOPE_FAKE";

/// A search for libraries that no machine has, with the user's home, environments and folder set by the test.
class LibrarySearchTest : public testing::Test {
 protected:
  static LibrarySearch search() {
    return {.name = "Fake",
            .files = {"libtilescope_fake.so.2", "libtilescope_fake.so.1"},
            .variable = variable,
            .user_folders = {"", "lib64"},
            .package_folders = {"nvidia/fake/lib", "nvidia/cu13/lib"},
            .install = "pip install nvidia-fake"};
  }
  static std::string why_unavailable() {
    try {
      open_library(search());
    } catch (const LibraryUnavailable& unavailable) {
      return unavailable.what();
    }
    return "it was opened";
  }
  static void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  }
  std::string at(const std::string& below) const { return (folders_.root() / below).string(); }

  LibraryFolders folders_;

 private:
  ScopedVariable home_{"HOME", at("home").c_str()};
  ScopedVariable virtual_environment_{"VIRTUAL_ENV", at("venv").c_str()};
  ScopedVariable conda_{"CONDA_PREFIX", at("conda").c_str()};
  ScopedVariable user_{variable, nullptr};
};

TEST_F(LibrarySearchTest, OpensWhatPipInstalledForThisUser) {
  const auto installed =
      folders_.library("home/.local/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.1");
  const OpenedLibrary library = open_library(search());
  EXPECT_EQ(library.path, installed);
  const auto answer = reinterpret_cast<int (*)()>(dlsym(library.handle, "tilescope_fake_answer"));
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer(), 42);
}

TEST_F(LibrarySearchTest, PrefersTheVirtualEnvironment) {
  folders_.library("home/.local/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.1");
  const auto active =
      folders_.library("venv/lib/python3.99/site-packages/nvidia/cu13/lib/libtilescope_fake.so.1");
  EXPECT_EQ(open_library(search()).path, active);
}

TEST_F(LibrarySearchTest, PrefersTheFirstFileWhereverItLies) {
  folders_.library("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.1");
  const auto newer = folders_.library("conda/lib/libtilescope_fake.so.2");
  EXPECT_EQ(open_library(search()).path, newer);
}

TEST_F(LibrarySearchTest, LooksWhereTheLoaderLooks) {
  LibrarySearch libm = search();
  libm.files = {"libm.so.6"};
  EXPECT_EQ(open_library(libm).path.filename(), "libm.so.6");
}

TEST_F(LibrarySearchTest, TheUsersFolderWins) {
  folders_.library("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.2");
  const auto own = folders_.library("own/lib64/libtilescope_fake.so.1");
  const ScopedVariable user(variable, at("own").c_str());
  EXPECT_EQ(open_library(search()).path, own);
}

TEST_F(LibrarySearchTest, LooksNowhereElseThanInTheUsersFolder) {
  folders_.library("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.2");
  const ScopedVariable user(variable, at("own").c_str());
  expect_words(why_unavailable(), {"Fake (libtilescope_fake.so.2 or libtilescope_fake.so.1)", at("own"),
                                   at("own/lib64"), "Set TILESCOPE_FAKE", "unset it"});
}

TEST_F(LibrarySearchTest, SaysWhereItLookedAndWhatToInstall) {
  std::filesystem::create_directories(at("venv/lib/python3.99/site-packages"));
  expect_words(why_unavailable(),
               {"Fake (libtilescope_fake.so.2 or libtilescope_fake.so.1)", "system's library path",
                "/usr/local/cuda/lib64", "nvidia/fake/lib or nvidia/cu13/lib",
                at("venv/lib/python3.99/site-packages"), "`pip install nvidia-fake`", "set TILESCOPE_FAKE"});
}

TEST_F(LibrarySearchTest, GoesOnAfterAFileThatIsNoLibrary) {
  folders_.broken("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.2");
  const auto works =
      folders_.library("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.1");
  EXPECT_EQ(open_library(search()).path, works);
}

TEST_F(LibrarySearchTest, SaysWhyAFileThatIsThereDidNotOpen) {
  const auto broken =
      folders_.broken("venv/lib/python3.99/site-packages/nvidia/fake/lib/libtilescope_fake.so.2");
  expect_words(why_unavailable(), {broken.string() + ": ", "pip install"});
}

TEST_F(LibrarySearchTest, ListsTheNewestPythonFirst) {
  for (const char* python : {"venv/lib/python3.9/site-packages", "venv/lib/python3.13/site-packages",
                             "home/.local/lib/python3.13/site-packages"})
    std::filesystem::create_directories(at(python));
  const std::vector<std::filesystem::path> found = python_package_folders();
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], at("venv/lib/python3.13/site-packages"));
  EXPECT_EQ(found[1], at("venv/lib/python3.9/site-packages"));
  EXPECT_EQ(found[2], at("home/.local/lib/python3.13/site-packages"));
}

}  // namespace
}  // namespace tilescope
