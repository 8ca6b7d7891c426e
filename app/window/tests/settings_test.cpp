#include "app/window/settings.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

TEST(Settings, ComeBackAsTheyWereKept) {
  const ScratchFolder scratch;
  Settings settings;
  settings.light = true;
  settings.scale = 1.5F;
  settings.workspace = "review";
  settings.panels = {{"tune", {{"heat_map", false}, {"sass", true}}}, {"review", {}}};
  settings.layout = "[Window][x]\nPos=0,0\n";
  settings.restores = false;
  settings.prepares_neighbours = false;
  settings.no_gpu_dismissed = true;
  settings.place = WindowPlace{10, 20, 1440, 900, true};
  settings.last.session = "/sessions/a.json";
  settings.last.autosave = "/kept/b.json";
  settings.last.recorded = {"/sessions/c.json"};
  settings.last.experiment = Experiment{};
  settings.last.experiment->kernel = "tiled";
  settings.last.experiment->parameters["BLOCK_M"] = std::int64_t{64};
  settings.last.sweep = {{"tiled", {{"BLOCK_M", {16, 32}}}}};
  settings.add_recent("/sessions/a.json");
  settings.add_recent("/sessions/b.json");
  settings.add_recent("/sessions/a.json");
  EXPECT_EQ(save_settings(scratch / "config", settings), "");
  std::string problem;
  EXPECT_EQ(load_settings(scratch / "config", problem), settings);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(settings.recent, (std::vector<std::filesystem::path>{"/sessions/a.json", "/sessions/b.json"}));
}

TEST(Settings, AreDefaultsAtTheFirstStart) {
  const ScratchFolder scratch;
  std::string problem;
  EXPECT_EQ(load_settings(scratch / "nowhere", problem), Settings{});
  EXPECT_EQ(problem, "");
}

TEST(Settings, DamagedOnesAreLeftOutAndSaid) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "window.json") << R"({"theme": 7)";
  std::string problem;
  EXPECT_EQ(load_settings(scratch.path(), problem), Settings{});
  EXPECT_NE(problem.find("window.json"), std::string::npos) << problem;
  std::ofstream(scratch / "window.json") << R"({"theme": 7, "recent": {}})";
  EXPECT_EQ(load_settings(scratch.path(), problem), Settings{});
}

TEST(Settings, AnExperimentOfAnotherVersionIsLeftOutAndNothingElse) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "window.json")
      << R"({"theme": "light", "last": {"session": "a", "experiment": {"x": 1}}})";
  std::string problem;
  const Settings settings = load_settings(scratch.path(), problem);
  EXPECT_EQ(problem, "");
  EXPECT_TRUE(settings.light);
  EXPECT_EQ(settings.last.session, "a");
  EXPECT_FALSE(settings.last.experiment);
}

TEST(Settings, AnAbsurdScaleIsBounded) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "window.json") << R"({"scale": 1000})";
  std::string problem;
  EXPECT_FLOAT_EQ(load_settings(scratch.path(), problem).scale, 4);
}

TEST(Settings, AFolderThatCannotBeWrittenIsSaid) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "file") << "";
  const std::string problem = save_settings(scratch / "file/config", Settings{});
  EXPECT_NE(problem.find("cannot be written"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tilescope
