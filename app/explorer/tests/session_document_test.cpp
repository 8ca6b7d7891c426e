#include "app/explorer/session_document.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

std::shared_ptr<const Measurement> point(std::int64_t block) {
  Experiment experiment;
  experiment.kernel = "flash_scalar";
  experiment.parameters["BLOCK_M"] = block;
  experiment.device = "L4";
  return std::make_shared<const Measurement>(failed_measurement(experiment, Status::unsupported, "no GPU"));
}

/// A path at which no user can make a file: its folder is a file.
std::filesystem::path unwritable(const ScratchFolder& scratch) {
  std::ofstream(scratch / "a_file") << "not a folder";
  return scratch / "a_file/session.json";
}

/// Saves and waits for the end; throws its SessionError.
void save_as(SessionDocument& document, const std::filesystem::path& file) {
  document.begin_saving(file);
  document.flush();
  const auto saved = document.take_saved();
  ASSERT_TRUE(saved);
  if (!saved->error.empty()) throw SessionError(saved->error);
}

TEST(SessionDocument, KeepsAnUnnamedSessionWithoutBeingTold) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  EXPECT_FALSE(document.is_dirty());
  document.add_point(point(16), {});
  document.add_point(point(32), {});
  document.flush();
  EXPECT_TRUE(document.is_dirty()) << "it has no name yet";
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 2U);
}

TEST(SessionDocument, WritesEveryPointOfANamedSession) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  const auto kept = document.autosave_file();
  save_as(document, scratch / "mine.json");
  EXPECT_FALSE(document.is_dirty());
  EXPECT_FALSE(std::filesystem::exists(kept)) << "two copies would raise the question which one counts";
  document.add_point(point(32), {});
  document.flush();
  EXPECT_FALSE(document.is_dirty());
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 2U);
}

TEST(SessionDocument, TheLastPointIsWrittenOnTheWayOut) {
  const ScratchFolder scratch;
  {
    SessionDocument document(scratch / "sessions", {});
    save_as(document, scratch / "mine.json");
    for (std::int64_t i = 0; i < 50; ++i) document.add_point(point(i), {});
  }
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 50U);
}

TEST(SessionDocument, AdoptingAnotherSessionLeavesWhatWaitsForItsOwnFile) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  save_as(document, scratch / "first.json");
  for (std::int64_t i = 0; i < 50; ++i) document.add_point(point(i), {});
  Session other;
  other.points.push_back(point(7));
  document.adopt(std::move(other), scratch / "second.json");
  document.add_point(point(8), {});
  document.flush();
  EXPECT_EQ(load_session(scratch / "first.json").points.size(), 50U);
  EXPECT_EQ(load_session(scratch / "second.json").points.size(), 2U);
  EXPECT_EQ(document.session().points.size(), 2U);
}

TEST(SessionDocument, PointsAddedWhileItIsSavedUnderAnotherNameAreWrittenThere) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  for (std::int64_t i = 0; i < 20; ++i) document.add_point(point(i), {});
  document.begin_saving(scratch / "mine.json");
  for (std::int64_t i = 20; i < 40; ++i) document.add_point(point(i), {});
  document.flush();
  ASSERT_TRUE(document.take_saved());
  document.flush();
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 40U);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "sessions"))
      << "two copies would raise the question which counts";
}

TEST(SessionDocument, ASaveThatIsUnderWayIsFinishedOnTheWayOut) {
  const ScratchFolder scratch;
  {
    SessionDocument document(scratch / "sessions", {});
    for (std::int64_t i = 0; i < 500; ++i) document.add_point(point(i), {});
    document.begin_saving(scratch / "mine.json");
    document.add_point(point(500), {});
    document.new_session();
    document.add_point(point(1), {});
  }
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 501U);
}

TEST(SessionDocument, SavingWithoutANameIsAnError) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  EXPECT_THROW(document.begin_saving(), SessionError);
}

TEST(SessionDocument, AFailedSaveAsKeepsTheNameAndThePoints) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  EXPECT_THROW(save_as(document, unwritable(scratch)), SessionError);
  EXPECT_TRUE(document.file().empty());
  document.flush();
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 1U);
}

TEST(SessionDocument, AFileThatCanNoLongerBeWrittenIsSaidOnceAndItsPointsAreKept) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "folder");
  SessionDocument document(scratch / "sessions", {});
  save_as(document, scratch / "folder/mine.json");
  std::filesystem::remove_all(scratch / "folder");
  std::ofstream(scratch / "folder") << "in the way";
  for (std::int64_t block : {16, 32, 64}) {
    document.add_point(point(block), {});
    document.flush();
  }
  const auto errors = document.take_errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("mine.json"), std::string::npos) << errors[0];
  EXPECT_NE(errors[0].find(document.autosave_file().string()), std::string::npos) << errors[0];
  EXPECT_TRUE(document.is_dirty());
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 3U);
}

TEST(SessionDocument, NowhereToWriteIsSaidAndThePointsStayInMemory) {
  const ScratchFolder scratch;
  SessionDocument document(unwritable(scratch).parent_path(), {});
  document.add_point(point(16), {});
  document.flush();
  EXPECT_EQ(document.take_errors().size(), 1U);
  EXPECT_EQ(document.session().points.size(), 1U);
  save_as(document, scratch / "elsewhere.json");
  EXPECT_EQ(load_session(scratch / "elsewhere.json").points.size(), 1U);
}

TEST(SessionDocument, ANewSessionLeavesTheOldOneOnTheDisk) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  const auto first = document.autosave_file();
  document.new_session();
  EXPECT_TRUE(document.session().points.empty());
  document.add_point(point(32), {});
  document.flush();
  EXPECT_NE(document.autosave_file(), first);
  EXPECT_EQ(load_session(first).points.size(), 1U);
}

TEST(SessionDocument, SourcesGoIn) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {{"abc", SourceFile{"k.cu", "text", {}}}});
  save_as(document, scratch / "mine.json");
  EXPECT_EQ(load_session(scratch / "mine.json").sources.at("abc").text, "text");
}

}  // namespace
}  // namespace tilescope
