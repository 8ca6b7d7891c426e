#include "sessions/session.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

class SessionFile : public testing::Test {
 protected:
  SessionFile() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-session-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ / "points.json";
  }
  ~SessionFile() override {
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }

  std::string complaint_of_load() const {
    try {
      load_session(file_);
    } catch (const SessionError& error) {
      return error.what();
    }
    return "";
  }
  std::string complaint_of_parse(const std::string& text) const {
    try {
      parse_session(text, file_);
    } catch (const SessionError& error) {
      return error.what();
    }
    return "";
  }
  std::string complaint_of_write(SessionWriter& writer, const Session& session) const {
    try {
      writer.write(session);
    } catch (const SessionError& error) {
      return error.what();
    }
    return "";
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
  fs::path file_;
};

void expect_equal(const Session& read, const Session& written) {
  EXPECT_EQ(read.title, written.title);
  EXPECT_EQ(read.created_utc, written.created_utc);
  EXPECT_EQ(read.tilescope_version, written.tilescope_version);
  EXPECT_EQ(read.sources, written.sources);
  ASSERT_EQ(read.points.size(), written.points.size());
  for (std::size_t index = 0; index < read.points.size(); ++index) {
    EXPECT_EQ(*read.points[index], *written.points[index]) << index;
  }
}

TEST_F(SessionFile, RoundTripWithNoneOneAndManyPoints) {
  for (const std::size_t points : {0UL, 1UL, 7UL}) {
    SessionWriter writer(file_);
    const Session session = sample::session_of(points);
    writer.write(session);
    expect_equal(load_session(file_), session);
  }
}

TEST_F(SessionFile, GrowsPointByPointAndFollowsRemovedPoints) {
  SessionWriter writer(file_);
  Session session = sample::session_of(5);
  const auto points = session.points;
  session.points.clear();
  for (const auto& point : points) {
    session.points.push_back(point);
    writer.write(session);
    expect_equal(load_session(file_), session);
  }
  session.points.erase(session.points.begin() + 1);
  writer.write(session);
  expect_equal(load_session(file_), session);
  EXPECT_EQ(files_in_folder(), 1u) << "a temporary file was left behind";
}

TEST_F(SessionFile, ThePointOfOneConfigurationMayBeThereTwice) {
  Session session = sample::session_of(1);
  session.points.push_back(session.points.front());
  SessionWriter(file_).write(session);
  expect_equal(load_session(file_), session);
}

TEST_F(SessionFile, CutAnywhereItIsRefused) {
  SessionWriter(file_).write(sample::session_of(1));
  const std::string whole = read_text(file_);
  ASSERT_EQ(whole.substr(whole.size() - 4), "\n]}\n");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {  // Without the last newline nothing is lost.
    const std::string complaint = complaint_of_parse(whole.substr(0, size));
    ASSERT_NE(complaint.find(file_.string()), std::string::npos) << "cut at " << size << ": " << complaint;
    ASSERT_NE(complaint.find("line "), std::string::npos) << "cut at " << size << ": " << complaint;
  }
}

TEST_F(SessionFile, AnyByteChangedIsReadOrRefusedButNeverFatal) {
  SessionWriter(file_).write(sample::session_of(1));
  const std::string whole = read_text(file_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    complaint_of_parse(changed);  // Any other exception fails the test.
  }
}

TEST_F(SessionFile, ADamagedPlaceIsNamedByLineOrPointer) {
  SessionWriter(file_).write(sample::session_of(3));
  const std::string whole = read_text(file_);

  std::string broken = whole;
  broken.replace(broken.find("\"created_utc\""), 1, "?");
  write_text(file_, broken);
  EXPECT_NE(complaint_of_load().find("invalid JSON at line 5, column 3: "), std::string::npos)
      << complaint_of_load();

  broken = whole;
  const std::string start = "{\"status\":";
  const std::size_t second_status = broken.find(start, broken.find(start) + 1) + start.size();
  broken.replace(second_status, 4, "\"so\"");
  write_text(file_, broken);
  EXPECT_NE(complaint_of_load().find("/points/1/status: 'so' is not a status"), std::string::npos)
      << complaint_of_load();
}

TEST_F(SessionFile, OtherJsonAndFoldersAndMissingFilesAreRefused) {
  write_text(file_, "{\"points\": []}");
  EXPECT_NE(complaint_of_load().find("/format: is missing"), std::string::npos);
  write_text(file_, "[1, 2]");
  EXPECT_NE(complaint_of_load().find("expected an object"), std::string::npos);
  EXPECT_THROW(load_session(folder_), SessionError);
  EXPECT_THROW(load_session(folder_ / "absent.json"), SessionError);
}

TEST_F(SessionFile, ANewerOneIsRefusedAndNeverOverwritten) {
  SessionWriter(file_).write(sample::session_of(1));
  std::string newer = read_text(file_);
  const std::string version = "\"version\": ";
  const std::string now = version + std::to_string(session_format_version);
  newer.replace(newer.find(now), now.size(), version + std::to_string(session_format_version + 1));
  write_text(file_, newer);
  const std::string complaint = complaint_of_load();
  EXPECT_NE(complaint.find("/version: written by a newer Tilescope"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("update Tilescope"), std::string::npos) << complaint;

  SessionWriter writer(file_);
  EXPECT_NE(complaint_of_write(writer, sample::session_of(2)).find("not overwritten"), std::string::npos);
  EXPECT_EQ(read_text(file_), newer);
}

TEST_F(SessionFile, ADamagedOneIsNeverOverwritten) {
  write_text(file_, "{\"format\": \"tilescope-session\", \"version\": 1, ");
  SessionWriter writer(file_);
  EXPECT_NE(complaint_of_write(writer, sample::session_of(1)).find("not overwritten"), std::string::npos);
  EXPECT_EQ(read_text(file_).size(), 46u);
}

TEST_F(SessionFile, WhatAnotherProgramWroteIsNotOverwritten) {
  SessionWriter ours(file_);
  ours.write(sample::session_of(1));
  SessionWriter theirs(file_);
  theirs.write(sample::session_of(3));
  EXPECT_NE(complaint_of_write(ours, sample::session_of(2)).find("another program"), std::string::npos);
  EXPECT_EQ(load_session(file_).points.size(), 3u);
}

TEST_F(SessionFile, AnEmptyFileMayBecomeASession) {
  write_text(file_, "");
  SessionWriter(file_).write(sample::session_of(1));
  EXPECT_EQ(load_session(file_).points.size(), 1u);
}

TEST_F(SessionFile, LinksAreFollowedAndPermissionsKept) {
  const fs::path link = folder_ / "link.json";
  SessionWriter(file_).write(sample::session_of(1));
  ::chmod(file_.c_str(), 0640);
  fs::create_symlink(file_, link);
  SessionWriter(link).write(sample::session_of(2));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(load_session(file_).points.size(), 2u);
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0640));
}

TEST_F(SessionFile, AFullDiskLeavesTheOldFile) {
  SessionWriter writer(file_);
  writer.write(sample::session_of(1));
  const std::string before = read_text(file_);

  // A limit on the size of files fails the write in the same place as a full disk.
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 100, old_limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string complaint = complaint_of_write(writer, sample::session_of(9));
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_NE(complaint.find(file_.string()), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("File too large"), std::string::npos) << complaint;
  EXPECT_EQ(read_text(file_), before);
  EXPECT_EQ(files_in_folder(), 1u) << "a temporary file was left behind";

  writer.write(sample::session_of(9));
  EXPECT_EQ(load_session(file_).points.size(), 9u) << "writing works again once there is room";
}

TEST_F(SessionFile, ADeviceIsNotReplaced) {
  SessionWriter writer("/dev/full");
  EXPECT_NE(complaint_of_write(writer, sample::session_of(1)).find("not a regular file"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(SessionFile, AFolderThatCannotBeWrittenIsNamed) {
  SessionWriter absent(folder_ / "nowhere" / "points.json");
  EXPECT_NE(complaint_of_write(absent, sample::session_of(1)).find("cannot create a file in"),
            std::string::npos);

  if (::geteuid() == 0) GTEST_SKIP() << "root may write into a read-only folder";
  ::chmod(folder_.c_str(), 0500);
  SessionWriter writer(file_);
  EXPECT_NE(complaint_of_write(writer, sample::session_of(1)).find("Permission denied"), std::string::npos);
}

TEST_F(SessionFile, ANumberThatNoDoubleHoldsIsRefused) {
  SessionWriter(file_).write(sample::session_of(1));
  std::string text = read_text(file_);
  text.replace(text.find("17.25"), 5, "1e999");
  write_text(file_, text);
  const std::string complaint = complaint_of_load();
  EXPECT_NE(complaint.find("invalid JSON at line "), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("/points/0/latency/"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("number overflow parsing '1e999'"), std::string::npos) << complaint;
}

}  // namespace
}  // namespace tilescope
