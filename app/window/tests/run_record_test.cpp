#include "app/window/run_record.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

/// A window that notes its session and is killed.
void crash(const std::filesystem::path& folder, const SessionPlace& place) {
  const pid_t child = fork();
  if (child == 0) {
    RunRecord record(folder);
    record.note({"", "/an/earlier/autosave.json"});
    record.note(place);
    _exit(0);  // Without destructors: as a kill does.
  }
  int status = 0;
  waitpid(child, &status, 0);
}

TEST(RunRecord, AWindowThatEndedInOrderLeavesNothing) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "kept.json") << "{}";
  { RunRecord(scratch / "running").note({"", scratch / "kept.json"}); }
  EXPECT_FALSE(RunRecord(scratch / "running").left_behind());
}

TEST(RunRecord, ACrashedWindowsSessionIsFoundOnce) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "kept.json") << "{}";
  const SessionPlace place{"/sessions/mine.json", scratch / "kept.json"};
  crash(scratch / "running", place);
  EXPECT_EQ(RunRecord(scratch / "running").left_behind(), place);
  EXPECT_FALSE(RunRecord(scratch / "running").left_behind());
}

TEST(RunRecord, OneThatStillRunsIsNotACrash) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "kept.json") << "{}";
  std::filesystem::create_directories(scratch / "running");
  int ready[2];
  int done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    RunRecord record(scratch / "running");
    record.note({"", scratch / "kept.json"});
    const bool told = write(ready[1], "x", 1) == 1 && read(done[0], &byte, 1) == 1;
    _exit(told ? 0 : 1);
  }
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  {
    const RunRecord record(scratch / "running");
    EXPECT_FALSE(record.left_behind());
    EXPECT_TRUE(record.is_open_elsewhere({"", scratch / "kept.json"}));
    EXPECT_FALSE(record.is_open_elsewhere({"", scratch / "another.json"}));
    EXPECT_FALSE(record.is_open_elsewhere({"", ""})) << "no session is not the same session";
  }
  ASSERT_EQ(write(done[1], "x", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(RunRecord(scratch / "running").left_behind());
}

TEST(RunRecord, WithoutKeptPointsThereIsNothingToOffer) {
  const ScratchFolder scratch;
  crash(scratch / "running", {"/sessions/mine.json", scratch / "gone.json"});
  EXPECT_FALSE(RunRecord(scratch / "running").left_behind());
}

TEST(RunRecord, AFolderThatCannotBeWrittenMeansNoRecord) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "file") << "";
  RunRecord record(scratch / "file/running");
  record.note({"a", "b"});
  EXPECT_FALSE(record.left_behind());
}

}  // namespace
}  // namespace tilescope
