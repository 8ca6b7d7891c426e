#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/scratch_folder.hpp"
#include "base/json.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// An explorer with a copy of the kernels, whose files are then saved as an editor does.
class SavedKernel : public testing::Test {
 protected:
  SavedKernel() {
    const Installation here = find_installation();
    fs::create_directories(root());
    fs::copy(here.kernels, root() / "kernels", fs::copy_options::recursive);
    fs::copy(here.root / "assets", root() / "assets", fs::copy_options::recursive);
    setenv("TILESCOPE_ROOT", root().c_str(), 1);
  }
  ~SavedKernel() override { unsetenv("TILESCOPE_ROOT"); }

  fs::path root() const { return scratch / "root"; }
  fs::path kernel() const { return root() / "kernels/attention/flash_scalar.cu"; }

  void start(const std::string& delay_ms = "0", const std::string& machine = "absent") {
    explorer = start_explorer(scratch, {INSTANT_WORKER, delay_ms, machine});
    explorer->kernels().watch();
    ASSERT_TRUE(wait_for(*explorer, [&] { return !explorer->kernels().sources().empty(); }));
  }

  /// Replaces a text in a file by writing a new file with its name, so that the watched file is removed.
  static void save_by_rename(const fs::path& file, const std::string& from, const std::string& to) {
    std::string text = text_of(file);
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    const fs::path beside = file.string() + "~";
    std::ofstream(beside) << text;
    fs::rename(beside, file);
  }
  static void append(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::app) << text;
  }

  bool has_points(std::size_t count) {
    return wait_for(*explorer, [&] {
      return explorer->points().list().size() == count && !explorer->jobs().measuring();
    });
  }
  bool is_older(const Measurement& point) const {
    return is_of_older_source(point, explorer->kernels().sources());
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(SavedKernel, IsMeasuredAgainAndItsOldPointStays) {
  start();
  ASSERT_TRUE(has_points(1));
  EXPECT_FALSE(is_older(*explorer->points().list()[0]));
  save_by_rename(kernel(), "\n}", "\n\n}");
  ASSERT_TRUE(has_points(2)) << "saved by renaming";
  append(kernel(), "// edited in its place\n");
  ASSERT_TRUE(has_points(3)) << "written in its place";
  EXPECT_TRUE(is_older(*explorer->points().list()[0]));
  EXPECT_TRUE(is_older(*explorer->points().list()[1]));
  EXPECT_FALSE(is_older(*explorer->points().list()[2]));
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list()[2]);
  EXPECT_EQ(explorer->points().list()[0]->parameters, explorer->points().list()[2]->parameters);
  EXPECT_TRUE(explorer->notices().errors().empty());
}

TEST_F(SavedKernel, AHeaderThatItIncludesCountsAndOneThatItDoesNotIsNothing) {
  start();
  ASSERT_TRUE(has_points(1));
  append(root() / "kernels/device/attention_problem.cuh", "// edited\n");
  ASSERT_TRUE(has_points(2));
  EXPECT_TRUE(is_older(*explorer->points().list()[0]));
  const std::uint64_t before = explorer->kernels().revision();
  append(root() / "kernels/attention/naive.cu", "// another kernel\n");
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->kernels().revision() > before; }));
  EXPECT_FALSE(explorer->jobs().measuring());
  EXPECT_EQ(explorer->points().list().size(), 2U);
}

TEST_F(SavedKernel, ARepairedCompileErrorIsGone) {
  start();
  ASSERT_TRUE(has_points(1));
  append(kernel(), "#error\n");
  ASSERT_TRUE(has_points(2));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::compile_failed);
  save_by_rename(kernel(), "#error\n", "// repaired\n");
  ASSERT_TRUE(has_points(3));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::ok);
}

// Points are kept by the source that they were compiled from: an edit that is taken back finds them again.
TEST_F(SavedKernel, AnEditThatIsTakenBackFindsItsPointAgain) {
  start();
  ASSERT_TRUE(has_points(1));
  append(kernel(), "#error\n");
  ASSERT_TRUE(has_points(2));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::compile_failed);
  save_by_rename(kernel(), "#error\n", "");
  const SharedMeasurement first = explorer->points().list()[0];
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().current_point() == first; }));
  EXPECT_FALSE(explorer->jobs().measuring());
  EXPECT_EQ(explorer->points().list().size(), 2U) << "it was not measured again";
  EXPECT_FALSE(is_older(*first)) << "the file is again as it was";
}

TEST_F(SavedKernel, ItsDeclarationAndSlidersAreReadAgain) {
  start();
  ASSERT_TRUE(has_points(1));
  const std::size_t before = explorer->selection().kernel().find_parameter("BLOCK_M")->values.size();
  save_by_rename(kernel(), "\"name\": \"BLOCK_M\", \"values\": [8, ", "\"name\": \"BLOCK_M\", \"values\": [");
  ASSERT_TRUE(has_points(2));
  EXPECT_EQ(explorer->selection().kernel().find_parameter("BLOCK_M")->values.size(), before - 1);
  EXPECT_NE(explorer->selection().why_invalid("BLOCK_M", std::int64_t{8}), "");
}

TEST_F(SavedKernel, AParameterThatItLostIsAskedForNoMore) {
  const std::string extra = R"({"name": "EXTRA", "values": [1, 2], "default": 1, "help": "of the test"}, )";
  start();
  ASSERT_TRUE(has_points(1));
  save_by_rename(kernel(), "{\"name\": \"BLOCK_M\"", extra + "{\"name\": \"BLOCK_M\"");
  ASSERT_TRUE(has_points(2));
  EXPECT_EQ(explorer->selection().experiment().parameters.at("EXTRA"), ParameterValue(std::int64_t{1}));
  for (const std::int64_t value : {2, 1}) {
    explorer->selection().drag_parameter("EXTRA", value);
    explorer->selection().end_drag();
  }
  ASSERT_TRUE(settle(*explorer));
  save_by_rename(kernel(), extra, "");
  ASSERT_TRUE(
      wait_for(*explorer, [&] { return !explorer->selection().experiment().parameters.contains("EXTRA"); }));
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list()[0]) << "the file is again as it was";
  explorer->selection().undo();
  EXPECT_FALSE(explorer->selection().experiment().parameters.contains("EXTRA")) << "nor by going back";
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list()[0]);
  EXPECT_FALSE(explorer->jobs().measuring());
}

TEST_F(SavedKernel, ABrokenDeclarationLeavesTheLastGoodOneInForce) {
  start();
  ASSERT_TRUE(has_points(1));
  const auto parameters = explorer->selection().kernel().parameters;
  save_by_rename(kernel(), "\"name\": \"BLOCK_M\"", "\"nam\": \"BLOCK_M\"");
  ASSERT_TRUE(wait_for(*explorer, [&] { return !explorer->selection().declaration_error().empty(); }));
  EXPECT_EQ(explorer->selection().kernel().parameters, parameters);
  EXPECT_NE(explorer->selection().why_invalid().find("flash_scalar.cu"), std::string::npos)
      << explorer->selection().why_invalid();
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list()[0]);
  EXPECT_TRUE(is_older(*explorer->points().list()[0]));
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  explorer->selection().end_drag();
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::compile_failed);
  EXPECT_FALSE(explorer->jobs().measuring()) << "the worker cannot read it either";
  EXPECT_EQ(explorer->points().list().size(), 1U) << "what cannot be read is no point";
  save_by_rename(kernel(), "\"nam\": \"BLOCK_M\"", "\"name\": \"BLOCK_M\"");
  ASSERT_TRUE(has_points(2));
  EXPECT_EQ(explorer->selection().declaration_error(), "");
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::ok);
  EXPECT_TRUE(explorer->notices().errors().empty());
}

TEST_F(SavedKernel, AFileThatWasAddedIsAKernelOfThePicker) {
  start();
  ASSERT_TRUE(has_points(1));
  const std::size_t before = explorer->kernels().all().size();
  std::string text = text_of(kernel());
  text.replace(text.find("\"flash_scalar\""), 14, "\"mine\"");
  fs::create_directories(root() / "kernels/mine");
  std::ofstream(root() / "kernels/mine/mine.cu") << text;
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->kernels().all().size() == before + 1; }));
  Experiment experiment = explorer->selection().experiment();
  experiment.kernel = "mine";
  explorer->selection().set_experiment(experiment);
  ASSERT_TRUE(has_points(2));
  append(root() / "kernels/mine/mine.cu", "// edited\n");
  EXPECT_TRUE(has_points(3)) << "in a folder that was not there at the start";
}

TEST_F(SavedKernel, TheFileBesideItThatDeclaresItCountsToo) {
  const std::string text = text_of(root() / "kernels/attention/naive.cu");
  const std::string marker = "/* tilescope-kernel";
  const std::size_t begin = text.find(marker);
  const std::size_t end = text.find("*/", begin);
  Json declaration = Json::parse(text.substr(begin + marker.size(), end - begin - marker.size()));
  declaration["name"] = "mine";
  const fs::path sidecar = root() / "kernels/attention/mine.json";
  std::ofstream(root() / "kernels/attention/mine.cu") << text.substr(end + 2);
  std::ofstream(sidecar) << declaration.dump(1);
  start();
  ASSERT_TRUE(has_points(1));
  Experiment experiment = explorer->selection().experiment();
  experiment.kernel = "mine";
  explorer->selection().set_experiment(experiment);
  ASSERT_TRUE(has_points(2));
  declaration["threads"] = "64*NUM_WARPS";
  std::ofstream(sidecar) << declaration.dump(1);
  ASSERT_TRUE(has_points(3)) << "another launch is another point";
  EXPECT_TRUE(is_older(*explorer->points().list()[1]));
}

TEST_F(SavedKernel, AKernelThatWasMeasuredByItsPathIsThatOfItsSession) {
  const fs::path elsewhere = scratch / "elsewhere/mine.cu";
  fs::create_directories(elsewhere.parent_path());
  std::ofstream(elsewhere) << text_of(kernel());
  Experiment experiment;
  experiment.kernel = elsewhere.string();
  experiment.parameters = {{"BLOCK_M", std::int64_t{16}}};
  experiment.device = "L4";
  Session session;
  session.points.push_back(
      std::make_shared<const Measurement>(failed_measurement(experiment, Status::wrong_result, "too large")));
  SessionWriter(scratch / "path.json").write(session);
  start();
  ASSERT_TRUE(has_points(1));
  ASSERT_TRUE(explorer->points().open_session(scratch / "path.json"));
  EXPECT_EQ(explorer->selection().experiment().kernel, elsewhere.string());
  EXPECT_EQ(explorer->selection().kernel().source_path, elsewhere);
  EXPECT_TRUE(explorer->notices().errors().empty());

  append(root() / "kernels/attention/naive.cu", "// edited\n");  // All files are read again.
  ASSERT_TRUE(
      wait_for(*explorer, [&] { return explorer->kernels().sources().contains(elsewhere.string()); }));
  EXPECT_EQ(explorer->selection().kernel().source_path, elsewhere);
  EXPECT_EQ(explorer->selection().declaration_error(), "");

  std::ofstream(elsewhere) << "/* tilescope-kernel {} */";
  append(root() / "kernels/attention/naive.cu", "// edited again\n");
  ASSERT_TRUE(wait_for(*explorer, [&] { return !explorer->selection().declaration_error().empty(); }));
  EXPECT_EQ(explorer->selection().kernel().source_path, elsewhere) << "the last good declaration";
}

TEST_F(SavedKernel, AKernelByItsPathThatIsBrokenIsANotice) {
  const fs::path elsewhere = scratch / "mine.cu";
  std::ofstream(elsewhere) << "/* tilescope-kernel {} */";
  start();
  ASSERT_TRUE(has_points(1));
  explorer->kernels().take_in(elsewhere.string());
  EXPECT_EQ(explorer->kernels().find(elsewhere.string()), nullptr);
  ASSERT_EQ(explorer->notices().errors().size(), 1U);
  explorer->kernels().take_in((scratch / "gone.cu").string());
  EXPECT_EQ(explorer->notices().errors().size(), 1U);
}

TEST_F(SavedKernel, TheAnswerOfAnEarlierRequestIsAPointAndNotTheCurrentOne) {
  start("0", "gate=" + (scratch / "gate").string());
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->activity() == "point: compile"; }));
  append(kernel(), "// edited while it is measured\n");
  std::ofstream(scratch / "gate") << std::string(10, '.');
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(wait_for(*explorer, [&] {
    return explorer->jobs().current_point() && !is_older(*explorer->jobs().current_point());
  }));
  EXPECT_FALSE(explorer->jobs().measuring());
}

TEST_F(SavedKernel, AnOpenedSessionOfAnOlderSourceIsMeasuredAgainUnderTheSliders) {
  const auto file = scratch / "older.json";
  start();
  ASSERT_TRUE(has_points(1));
  ASSERT_TRUE(explorer->points().save_session(file));
  explorer.reset();
  append(kernel(), "// edited meanwhile\n");
  start();
  ASSERT_TRUE(explorer->points().open_session(file));
  ASSERT_TRUE(has_points(2));
  EXPECT_TRUE(is_older(*explorer->points().list()[0]));
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list()[1]);
}

TEST_F(SavedKernel, WhatWasInterpretedIsTimedWhereItsDeviceIsPresent) {
  const auto file = scratch / "interpreted.json";
  start();
  ASSERT_TRUE(has_points(1));
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  explorer->selection().end_drag();
  ASSERT_TRUE(has_points(2));
  ASSERT_TRUE(explorer->points().save_session(file));
  explorer.reset();
  start("0", "present");
  ASSERT_TRUE(explorer->points().open_session(file));
  ASSERT_TRUE(has_points(3));
  EXPECT_FALSE(explorer->points().list()[1]->latency) << "the interpreted point stays";
  EXPECT_TRUE(explorer->jobs().current_point()->latency);
  explorer->selection().undo();
  explorer->jobs().measure_again();
  ASSERT_TRUE(has_points(4));
  explorer->selection().select_point(*explorer->points().list()[0]);
  ASSERT_TRUE(has_points(5)) << "the other one as soon as it is under the sliders";
  explorer->selection().select_point(*explorer->points().list()[1]);
  EXPECT_TRUE(explorer->jobs().current_point()->latency);
  EXPECT_FALSE(explorer->jobs().measuring()) << "once";
}

}  // namespace
}  // namespace tilescope
