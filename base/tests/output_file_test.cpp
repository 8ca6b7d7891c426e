#include "base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <utility>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class OutputFile : public testing::Test {
 protected:
  OutputFile() { fs::create_directories(folder_); }
  ~OutputFile() override { fs::remove_all(folder_); }

  std::string why_unwritable(const fs::path& file) const {
    try {
      write_output_file(file, "text");
    } catch (const UnwritableFile& error) {
      return error.what();
    }
    return "";
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("tilescope_output_file_" + std::to_string(::getpid()));
};

TEST_F(OutputFile, ReplacesARegularFileAlsoBehindALink) {
  const fs::path file = folder_ / "r.md", link = folder_ / "link.md";
  write_output_file(file, "first");
  fs::create_symlink(file, link);
  write_output_file(link, "second");
  EXPECT_EQ(contents(file), "second");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(is_pipe_or_device(file));
}

TEST_F(OutputFile, WithoutTheDiskItIsTheSameFileOrNone) {
  const fs::path file = folder_ / "p.png", full = folder_ / "full.png";
  write_output_file_unflushed(file, "a longer text");
  write_output_file_unflushed(file, "text");
  EXPECT_EQ(contents(file), "text");
  fs::create_symlink("/dev/full", full);
  for (const fs::path& wrong : {full, folder_, folder_ / "none/p.png"}) {
    EXPECT_THROW(write_output_file_unflushed(wrong, "text"), UnwritableFile);
  }
  EXPECT_TRUE(fs::is_symlink(full));
}

TEST_F(OutputFile, WritesIntoAPipeAndLeavesNothingBesideIt) {
  const fs::path pipe = folder_ / "pipe.md";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string sent(200'000, 'x');  // more than a pipe holds
  auto received = std::async(std::launch::async, [&] { return contents(pipe); });
  write_output_file(pipe, sent);
  EXPECT_EQ(received.get(), sent);
  EXPECT_TRUE(is_pipe_or_device(pipe));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(OutputFile, WritesToADescriptorWhereItStands) {
  const fs::path file = folder_ / "r.md";
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(fd, "before\n", 7), 7);
  write_output_file("/dev/fd/" + std::to_string(fd), "after\n");
  write_output_file("/proc/self/fd/" + std::to_string(fd), "end\n");
  ::close(fd);
  EXPECT_EQ(contents(file), "before\nafter\nend\n");
  EXPECT_NE(why_unwritable("/dev/fd/" + std::to_string(fd)), "");
}

TEST_F(OutputFile, WhatCannotBeWrittenIsNamedWithItsReason) {
  const fs::path full = folder_ / "full.md", below_a_file = folder_ / "file/r.md";
  fs::create_symlink("/dev/full", full);
  std::ofstream(folder_ / "file") << "a file";
  for (const auto& [file, reason] : {std::pair<fs::path, std::string>(full, "No space left on device"),
                                     {folder_, "it is a folder"},
                                     {folder_ / "none/r.md", "No such file or directory"},
                                     {below_a_file, "Not a directory"}}) {
    const std::string why = why_unwritable(file);
    EXPECT_EQ(why.find(file.string() + " cannot be written: "), 0u) << why;
    EXPECT_NE(why.find(reason), std::string::npos) << why;
  }
  EXPECT_TRUE(fs::is_symlink(full));
}

TEST_F(OutputFile, AReaderThatIsGoneIsAnErrorAndNotTheEndOfTheProcess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[0]);
  EXPECT_NE(why_unwritable("/dev/fd/" + std::to_string(ends[1])).find("Broken pipe"), std::string::npos);
  ::close(ends[1]);
}

TEST_F(OutputFile, StandardOutputIsFoundByItsFile) {
  EXPECT_FALSE(is_standard_output("/dev/null"));
  EXPECT_FALSE(is_standard_output(folder_ / "none"));
  const fs::path file = folder_ / "out";
  const int kept = ::dup(STDOUT_FILENO), fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(fd, STDOUT_FILENO);
  const bool is_file = is_standard_output(file), is_device = is_standard_output("/dev/stdout");
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  ::close(fd);
  EXPECT_TRUE(is_file);
  EXPECT_TRUE(is_device);
}

}  // namespace
}  // namespace tilescope
