#include "base/regular_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class RegularFile : public testing::Test {
 protected:
  RegularFile() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-files-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ / "file";
  }
  ~RegularFile() override { fs::remove_all(folder_); }

  static std::string complaint(const fs::path& file, std::uint64_t max_bytes = 100) {
    try {
      read_regular_file(file, max_bytes);
    } catch (const UnreadableFile& error) {
      EXPECT_EQ(error.what(), file.string() + ": " + error.reason());
      return error.reason();
    }
    return "";
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(RegularFile, IsReadToItsLastByte) {
  const std::string bytes("a\0b\r\n\xff", 6);
  std::ofstream(file_, std::ios::binary) << bytes;
  EXPECT_EQ(read_regular_file(file_, 6), bytes);
  EXPECT_EQ(read_regular_file(file_, 1U << 30U), bytes);
  fs::create_symlink(file_, folder_ / "link");
  EXPECT_EQ(read_regular_file(folder_ / "link", 6), bytes);
  std::ofstream(file_, std::ios::binary) << "";
  EXPECT_EQ(read_regular_file(file_, 0), "");
}

TEST_F(RegularFile, MayBeLongerThanAPiece) {
  const std::string bytes(300000, 'x');
  std::ofstream(file_, std::ios::binary) << bytes;
  EXPECT_EQ(read_regular_file(file_, bytes.size()), bytes);
}

TEST_F(RegularFile, MustNotBeLargerThanTheLimit) {
  std::ofstream(file_) << "1234567";
  EXPECT_EQ(complaint(file_, 6), "it is larger than 6 bytes, the largest size that is read");
  fs::resize_file(file_, std::uintmax_t{5} << 30U);  // Takes no room on the disk.
  EXPECT_EQ(complaint(file_, 1U << 20U), "it is larger than 1 MiB, the largest size that is read");
}

TEST_F(RegularFile, OfUnknownSizeIsReadUpToTheLimit) {
  EXPECT_FALSE(read_regular_file("/proc/self/status", 1U << 20U).empty());
  EXPECT_NE(complaint("/proc/self/status", 10).find("larger than 10 bytes"), std::string::npos);
}

TEST_F(RegularFile, IsNoPipeDeviceSocketOrFolder) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(complaint(file_), "it is a pipe; only regular files are read");
  EXPECT_EQ(complaint(folder_), "it is a folder; only regular files are read");
  EXPECT_EQ(complaint("/dev/zero"), "it is a device; only regular files are read");

  const fs::path socket = folder_ / "s";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(socket.string().size(), sizeof(address.sun_path));
  socket.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(complaint(socket), "it is a socket; only regular files are read");
  ::close(descriptor);
}

TEST_F(RegularFile, SaysWhatTheSystemRefused) {
  EXPECT_EQ(complaint(file_), "cannot be opened: No such file or directory");
  try {
    read_regular_file(file_, 1);
    FAIL();
  } catch (const UnreadableFile& error) {
    EXPECT_TRUE(error.is_missing());
  }
  try {
    read_regular_file(folder_, 1);
    FAIL();
  } catch (const UnreadableFile& error) {
    EXPECT_FALSE(error.is_missing());
  }
}

}  // namespace
}  // namespace tilescope
