#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "app/shell/explorer.hpp"
#include "app/shell/panel.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed with this object.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-panels-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

Measurement make_point(const KernelDeclaration& kernel, const Configuration& configuration,
                       const std::string& device) {
  Measurement point;
  point.kernel = kernel.name;
  point.parameters = configuration;
  point.device = {device, "sm_89", false};
  point.resources = Resources{64, 0, 32768, 0, 0, std::string(64, '0')};
  point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
  point.provenance.source_sha256 = "source";
  return point;
}

void add_latency(Measurement& point, double p50_us) {
  point.error = Error{1e-4, 1e-4, 1e-3, "gpu", 4096, 4096};
  Latency latency;
  latency.p10_us = p50_us * 0.95;
  latency.p50_us = p50_us;
  latency.p90_us = p50_us * 1.1;
  latency.samples = 100;
  latency.tflops = attention_flops(point.shape) / p50_us * 1e-6;
  latency.l2_warm = SampleStatistics{};
  latency.l2_cold = SampleStatistics{};
  point.latency = latency;
}

/// The panels with an explorer that measures nothing, and with the valid configurations of the first kernel as its
/// session.
class Panels : public ::testing::Test {
 protected:
  Panels() {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    setenv("XDG_DATA_HOME", (scratch_.folder() / "data").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (scratch_.folder() / "config").c_str(), 1);
    explorer_ = std::make_unique<Explorer>(find_installation(), WorkerConnection::Options{});
    panels_ = make_registered_panels();
  }

  std::vector<Configuration> legal_configurations() const {
    const KernelDeclaration& kernel = explorer_->kernel();
    std::vector<std::pair<std::string, std::vector<ParameterValue>>> every_value;
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      every_value.emplace_back(parameter.name, parameter.values);
    }
    std::vector<Configuration> legal;
    for (Configuration& configuration : expand_grid(kernel, kernel.complete({}), every_value)) {
      if (why_invalid(kernel, configuration, Shape{}, explorer_->device()).empty()) {
        legal.push_back(std::move(configuration));
      }
    }
    return legal;
  }

  fs::path write_session(const std::string& name, const std::string& device, bool timed) const {
    Session session;
    session.title = name;
    session.created_utc = "2026-01-01T00:00:00Z";
    session.sources["source"] = SourceFile{"flash_scalar.cu", "first\nsecond\n", {}};
    std::size_t i = 0;
    for (const Configuration& configuration : legal_configurations()) {
      Measurement point = make_point(explorer_->kernel(), configuration, device);
      if (timed) add_latency(point, 50 + static_cast<double>(i * 7919 % 1000));
      if (i % 41 == 3) {
        point.status = Status::wrong_result;
        point.reason = "The largest error is 0.28.";
      }
      if (i % 97 == 5) {
        point = make_point(explorer_->kernel(), configuration, device);
        point.status = Status::compile_failed;
        point.reason = "The kernel does not compile.";
        point.compiler_log = "flash_scalar.cu(2): error: identifier \"x\" is undefined\n";
        point.resources.reset();
        point.occupancy.reset();
      }
      session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
      ++i;
    }
    fs::path file = scratch_.folder() / (name + ".json");
    SessionWriter(file).write(session);
    return file;
  }

  Panel& panel(const std::string& id) const {
    for (const auto& candidate : panels_) {
      if (candidate->id() == id) return *candidate;
    }
    throw std::out_of_range("no panel " + id);
  }

  void show(testing::HeadlessGui& gui, const std::string& id) {
    gui.show([this, id] { panel(id).show_alone(*explorer_); });
    gui.frames();
    EXPECT_TRUE(gui.errors().empty()) << id << ": " << gui.errors().front();
  }

  void show_all(testing::HeadlessGui& gui) {
    for (const auto& each : panels_) {
      show(gui, each->id());
      EXPECT_GT(gui.vertices(), 100) << each->id();
    }
  }

  const ParameterValue& value_of(const std::string& parameter) const {
    return explorer_->experiment().parameters.at(parameter);
  }

  Scratch scratch_;
  std::unique_ptr<Explorer> explorer_;
  std::vector<std::unique_ptr<Panel>> panels_;
};

TEST_F(Panels, AllOfTuneAreRegisteredOnce) {
  std::set<std::string> ids;
  for (const auto& each : panels_) ids.insert(each->id());
  EXPECT_EQ(
      ids, (std::set<std::string>{"configuration", "details", "heat_map", "latency", "occupancy", "points"}));
  EXPECT_EQ(ids.size(), panels_.size());
}

TEST_F(Panels, EachDrawsAnEmptyExplorer) {
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    testing::HeadlessGui gui(400, 300, 1, theme);
    show_all(gui);
  }
}

TEST_F(Panels, EachDrawsPointsWithoutALatencyBeforeRecordedOnes) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", false)));
  explorer_->open_recorded(write_session("recorded", "H200", true));
  testing::HeadlessGui gui(1280, 720);
  show_all(gui);
  EXPECT_FALSE(explorer_->recorded().empty());
}

TEST_F(Panels, EachDrawsTimedPointsAtTwiceTheScale) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  testing::HeadlessGui gui(1200, 900, 2);
  show_all(gui);
}

TEST_F(Panels, EachMarksPointsOfAnOlderSource) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  testing::HeadlessGui gui(1200, 900);
  show(gui, "points");
  EXPECT_FALSE(gui.has("points.header.source")) << "a column that says nothing";
  show(gui, "details");
  EXPECT_FALSE(gui.has("details.older_source"));
  explorer_->watch_kernels();
  for (int i = 0; i < 3000 && explorer_->current_sources().empty(); ++i) {
    explorer_->update();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(explorer_->current_sources().empty()) << "the session's points are of the source \"source\"";
  show_all(gui);
  show(gui, "points");
  EXPECT_TRUE(gui.has("points.header.source"));
  show(gui, "details");
  EXPECT_TRUE(gui.has("details.older_source"));
}

TEST_F(Panels, EachDrawsEveryPointOfASession) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  std::set<Status> seen;
  testing::HeadlessGui gui(360, 640);
  for (const auto& point : explorer_->points()) {
    if (!seen.insert(point->status).second) continue;
    explorer_->select_point(point);
    show_all(gui);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(Panels, ASliderMovesTheConfigurationAndCanBeUndone) {
  testing::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  const Experiment before = explorer_->experiment();
  gui.click("slider.BLOCK_M.128");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{128}));
  explorer_->undo();
  EXPECT_EQ(explorer_->experiment(), before);
}

TEST_F(Panels, ABrokenKernelIsInThePickerWithItsErrorAndCannotBeChosen) {
  const fs::path root = scratch_.folder() / "root";
  fs::create_directories(root / "kernels");
  fs::create_directory_symlink(explorer_->installation().root / "assets", root / "assets");
  for (const char* name : {"naive.cu", "flash_scalar.cu"})
    fs::copy_file(explorer_->installation().kernels / "attention" / name, root / "kernels" / name);
  std::ofstream(root / "kernels/mine.cu")
      << "/* tilescope-kernel\n{\"name\": \"mine\", \"role\": \"rug\"}\n*/\n";
  setenv("TILESCOPE_ROOT", root.c_str(), 1);
  explorer_ = std::make_unique<Explorer>(find_installation(), WorkerConnection::Options{});
  EXPECT_EQ(explorer_->kernels().size(), 2U);
  EXPECT_TRUE(explorer_->messages().empty());

  testing::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("picker.kernel");
  ASSERT_TRUE(gui.has("kernel.naive"));
  ASSERT_TRUE(gui.has("broken.mine.cu"));
  const int without_error = gui.vertices();
  gui.move_to("broken.mine.cu");
  gui.frames(120);  // the mouse rests
  const auto letters = static_cast<int>(explorer_->broken_kernels().at(0).error.size());
  EXPECT_GT(gui.vertices(), without_error + 2 * letters) << "the error is not drawn";
  gui.click("broken.mine.cu");
  EXPECT_EQ(explorer_->experiment().kernel, "flash_scalar");
  gui.click("kernel.naive");
  EXPECT_EQ(explorer_->experiment().kernel, "naive");
}

TEST_F(Panels, DefaultsComeBackWithOneClick) {
  testing::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  const Configuration defaults = explorer_->kernel().complete({});
  gui.click("slider.BLOCK_M.128");
  gui.click("slider.VEC_WIDTH.1");
  ASSERT_NE(explorer_->kernel().complete(explorer_->experiment().parameters), defaults);
  gui.click("button.defaults");
  EXPECT_EQ(explorer_->kernel().complete(explorer_->experiment().parameters), defaults);
}

TEST_F(Panels, ASizeThatIsTypedBecomesTheShapeAndItsPairFollows) {
  testing::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("shape.Sq");
  gui.type("1024");
  gui.key(ImGuiKey_Enter);
  EXPECT_EQ(explorer_->experiment().shape.Sq, 1024);
  EXPECT_EQ(explorer_->experiment().shape.Sk, 1024);
}

TEST_F(Panels, AMalformedShapeIsNotTaken) {
  testing::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("shape.Hkv");
  gui.type("3");
  gui.key(ImGuiKey_Enter);
  EXPECT_EQ(explorer_->experiment().shape.Hkv, 8);
}

TEST_F(Panels, AClickOnARowReturnsToItsConfiguration) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  testing::HeadlessGui gui(1280, 400);
  show(gui, "points");
  gui.click("points.filter");
  gui.type("block_m=16 num_warps=2 padded vec_width=4 block_n=32 shuffle light");
  ASSERT_TRUE(gui.has("row.0"));
  EXPECT_FALSE(gui.has("row.1"));
  gui.click("row.0");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("padded")));
}

TEST_F(Panels, AClickOnTheHeatMapSetsBothParameters) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  testing::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  // Five values across and four down: the middle is the third value across.
  gui.click("plot.heat_map");
  const ParameterDeclaration& across = explorer_->kernel().parameters[0];
  EXPECT_EQ(value_of(across.name), across.values[across.values.size() / 2]);
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(Panels, TheLatencyPlotTakesAllConfigurations) {
  ASSERT_TRUE(explorer_->open_session(write_session("here", "L4", true)));
  testing::HeadlessGui gui(800, 600);
  show(gui, "latency");
  const int before = gui.vertices();
  gui.click("latency.all");
  EXPECT_GT(gui.vertices(), before + 5000);
}

}  // namespace
}  // namespace tilescope
