#include "app/explorer/points/session_document.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

SharedMeasurement point(std::int64_t block) {
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

TEST(SessionDocument, TheEndOfWritingIsToldOnce) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  EXPECT_FALSE(document.take_end_of_writing());
  document.add_point(point(16), {});
  document.flush();
  EXPECT_FALSE(document.is_writing());
  EXPECT_TRUE(document.take_end_of_writing()) << "the window draws that it has ended";
  EXPECT_FALSE(document.take_end_of_writing());
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

TEST(SessionDocument, ANamedFileChangesWhenItIsSavedAndAtNoOtherTime) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  const auto kept = document.autosave_file();
  save_as(document, scratch / "mine.json");
  EXPECT_FALSE(document.is_dirty());
  EXPECT_FALSE(document.needs_saving());
  EXPECT_FALSE(std::filesystem::exists(kept)) << "two copies would raise the question which one counts";
  document.add_point(point(32), {});
  document.flush();
  EXPECT_TRUE(document.is_dirty());
  EXPECT_TRUE(document.needs_saving());
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 1U);
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 2U);
  save_as(document, {});
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 2U);
  EXPECT_FALSE(document.needs_saving());
}

TEST(SessionDocument, WhatIsNotSavedIsKeptOnTheWayOut) {
  const ScratchFolder scratch;
  std::filesystem::path kept;
  {
    SessionDocument document(scratch / "sessions", {});
    save_as(document, scratch / "mine.json");
    for (std::int64_t i = 0; i < 50; ++i) document.add_point(point(i), {});
    kept = document.autosave_file();
  }
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 0U);
  EXPECT_EQ(load_session(kept).points.size(), 50U);
  EXPECT_NE(kept.filename().string().find("mine"), std::string::npos)
      << "its name says whose points it keeps";
}

TEST(SessionDocument, AdoptingAnotherSessionKeepsWhatTheFormerOneDidNotSave) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  save_as(document, scratch / "first.json");
  for (std::int64_t i = 0; i < 50; ++i) document.add_point(point(i), {});
  const auto kept = document.autosave_file();
  Session other;
  other.points.push_back(point(7));
  SessionWriter(scratch / "second.json").write(other);
  document.adopt(std::move(other), scratch / "second.json", file_stamp(scratch / "second.json"));
  EXPECT_FALSE(document.needs_saving());
  document.add_point(point(8), {});
  document.flush();
  EXPECT_EQ(load_session(kept).points.size(), 50U);
  EXPECT_EQ(load_session(scratch / "second.json").points.size(), 1U);
  save_as(document, {});
  EXPECT_EQ(load_session(scratch / "second.json").points.size(), 2U);
}

TEST(SessionDocument, AFileThatAnotherProgramHasWrittenSinceIsNotWrittenOver) {
  const ScratchFolder scratch;
  Session mine;
  mine.points.push_back(point(7));
  SessionWriter(scratch / "mine.json").write(mine);
  const auto stamp = file_stamp(scratch / "mine.json");
  SessionDocument document(scratch / "sessions", {});
  document.adopt(mine, scratch / "mine.json", stamp);
  mine.points.push_back(point(8));
  mine.points.push_back(point(9));
  SessionWriter(scratch / "mine.json").write(mine);
  document.add_point(point(10), {});
  EXPECT_THROW(save_as(document, {}), SessionError);
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 3U);
  EXPECT_TRUE(document.needs_saving());
}

TEST(SessionDocument, PointsAddedWhileItIsSavedAreNotInTheFileAndAreKept) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  for (std::int64_t i = 0; i < 20; ++i) document.add_point(point(i), {});
  document.begin_saving(scratch / "mine.json");
  for (std::int64_t i = 20; i < 40; ++i) document.add_point(point(i), {});
  document.flush();
  ASSERT_TRUE(document.take_saved());
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 20U);
  EXPECT_TRUE(document.needs_saving());
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 40U);
}

TEST(SessionDocument, ARecoveredSessionGoesOnWhereItWasKept) {
  const ScratchFolder scratch;
  std::filesystem::path kept;
  {
    SessionDocument document(scratch / "sessions", {});
    save_as(document, scratch / "mine.json");
    document.add_point(point(1), {});
    kept = document.autosave_file();
  }
  SessionDocument document(scratch / "sessions", {});
  document.recover(load_session(kept), kept, scratch / "mine.json", file_stamp(kept));
  EXPECT_TRUE(document.needs_saving());
  document.add_point(point(2), {});
  document.flush();
  EXPECT_EQ(load_session(kept).points.size(), 2U);
  save_as(document, {});
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(kept));
}

/// Appends a point as a command does with --session.
void append_elsewhere(const std::filesystem::path& file, std::int64_t block) {
  SessionWriter writer(file);
  Session session = writer.read().value_or(Session{});
  writer.update(session, [&](Session& now) {
    now.points.push_back(point(block));
    return true;
  });
}

std::multiset<std::int64_t> blocks_of(const std::filesystem::path& file) {
  std::multiset<std::int64_t> blocks;
  for (const auto& one : load_session(file).points)
    blocks.insert(std::get<std::int64_t>(one->parameters.at("BLOCK_M")));
  return blocks;
}

TEST(SessionDocument, AnAutosaveKeepsWhatAnotherProgramAppends) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  const auto first = point(1);
  document.add_point(first, {});
  document.flush();
  append_elsewhere(document.autosave_file(), 2);
  document.add_point(point(3), {});
  document.flush();
  EXPECT_EQ(blocks_of(document.autosave_file()), (std::multiset<std::int64_t>{1, 2, 3}));
  document.remove_point(first);
  append_elsewhere(document.autosave_file(), 4);
  document.add_point(point(5), {});
  document.flush();
  EXPECT_EQ(blocks_of(document.autosave_file()), (std::multiset<std::int64_t>{2, 3, 4, 5}));
  EXPECT_TRUE(document.take_errors().empty());
}

TEST(SessionDocument, AnAutosaveWithPointsOfAnotherProgramStaysAfterASave) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(1), {});
  document.flush();
  const auto kept = document.autosave_file();
  append_elsewhere(kept, 2);
  save_as(document, scratch / "mine.json");
  EXPECT_EQ(blocks_of(scratch / "mine.json"), (std::multiset<std::int64_t>{1}));
  EXPECT_EQ(blocks_of(kept), (std::multiset<std::int64_t>{1, 2}));
}

TEST(SessionDocument, TwoWindowsThatChoseOneAutosaveLoseNothing) {
  const ScratchFolder scratch;
  SessionWriter(scratch / "kept.json").write(Session{});
  const auto stamp = file_stamp(scratch / "kept.json");
  SessionDocument a(scratch / "sessions", {}), b(scratch / "sessions", {});
  a.recover(load_session(scratch / "kept.json"), scratch / "kept.json", {}, stamp);
  b.recover(load_session(scratch / "kept.json"), scratch / "kept.json", {}, stamp);
  for (std::int64_t i = 0; i < 10; ++i) {
    a.add_point(point(i), {});
    b.add_point(point(100 + i), {});
  }
  a.flush();
  b.flush();
  EXPECT_EQ(blocks_of(scratch / "kept.json").size(), 20U);
}

TEST(SessionDocument, ARemovedPointIsAChange) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  const auto first = point(1);
  document.add_point(first, {});
  document.add_point(point(2), {});
  save_as(document, scratch / "mine.json");
  EXPECT_TRUE(document.remove_point(first));
  EXPECT_FALSE(document.remove_point(first));
  EXPECT_TRUE(document.needs_saving());
  save_as(document, {});
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 1U);
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
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 500U);
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

TEST(SessionDocument, AFileThatCanNoLongerBeWrittenIsSaidAndItsPointsAreKept) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "folder");
  SessionDocument document(scratch / "sessions", {});
  save_as(document, scratch / "folder/mine.json");
  std::filesystem::remove_all(scratch / "folder");
  std::ofstream(scratch / "folder") << "in the way";
  for (std::int64_t block : {16, 32, 64}) document.add_point(point(block), {});
  EXPECT_THROW(save_as(document, {}), SessionError);
  EXPECT_TRUE(document.needs_saving());
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
