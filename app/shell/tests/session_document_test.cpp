#include "app/shell/session_document.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/shell/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

std::shared_ptr<const Measurement> point(std::int64_t block) {
  Experiment experiment;
  experiment.kernel = "flash_scalar";
  experiment.parameters["BLOCK_M"] = block;
  experiment.device = "L4";
  return std::make_shared<const Measurement>(failed_measurement(experiment, Status::unsupported, "no GPU"));
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Where no file can be made, for any user: its folder is a file.
std::filesystem::path unwritable(const ScratchFolder& scratch) {
  std::ofstream(scratch / "a_file") << "not a folder";
  return scratch / "a_file/session.json";
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
  document.save_as(scratch / "mine.json");
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
    document.save_as(scratch / "mine.json");
    for (std::int64_t i = 0; i < 50; ++i) document.add_point(point(i), {});
  }
  EXPECT_EQ(load_session(scratch / "mine.json").points.size(), 50U);
}

TEST(SessionDocument, RefusesADamagedFileAndKeepsTheOpenSession) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  std::ofstream(scratch / "damaged.json") << "{\"format\": ";
  EXPECT_THROW(document.open(scratch / "damaged.json"), SessionError);
  EXPECT_EQ(document.session().points.size(), 1U);
  EXPECT_TRUE(document.file().empty());
  document.add_point(point(32), {});
  document.flush();
  EXPECT_EQ(text_of(scratch / "damaged.json"), "{\"format\": ");
}

TEST(SessionDocument, SavingWithoutANameIsAnError) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  EXPECT_THROW(document.save(), SessionError);
}

TEST(SessionDocument, AFailedSaveAsKeepsTheNameAndThePoints) {
  const ScratchFolder scratch;
  SessionDocument document(scratch / "sessions", {});
  document.add_point(point(16), {});
  EXPECT_THROW(document.save_as(unwritable(scratch)), SessionError);
  EXPECT_TRUE(document.file().empty());
  document.flush();
  EXPECT_EQ(load_session(document.autosave_file()).points.size(), 1U);
}

TEST(SessionDocument, AFileThatCanNoLongerBeWrittenIsSaidOnceAndItsPointsAreKept) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "folder");
  SessionDocument document(scratch / "sessions", {});
  document.save_as(scratch / "folder/mine.json");
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
  document.save_as(scratch / "elsewhere.json");
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
  document.save_as(scratch / "mine.json");
  EXPECT_EQ(load_session(scratch / "mine.json").sources.at("abc").text, "text");
}

}  // namespace
}  // namespace tilescope
