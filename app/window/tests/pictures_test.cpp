// Every registered panel and the whole window, drawn without a display: both themes, a small and a large screen, with
// and without points. An empty picture fails.

#include <gtest/gtest.h>
#include <png.h>

#include <cstring>
#include <set>

#include "app/explorer/tests/scratch_folder.hpp"
#include "app/gui/graphics.hpp"
#include "app/gui/gui.hpp"
#include "app/gui/panel.hpp"
#include "app/window/picture.hpp"
#include "app/window/workspace.hpp"
#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

struct Look {
  int width;
  int height;
  float scale;
  bool light;
};

const std::vector<Look> looks = {
    {1280, 720, 1, false}, {1280, 720, 1, true}, {3840, 2160, 2, false}, {3840, 2160, 2, true}};

/// The number of colours in a picture, counted up to `enough`.
std::size_t colors_in(const std::filesystem::path& file, std::size_t enough) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  std::set<unsigned> colors;
  unsigned last = ~0U;
  for (std::size_t i = 0; i + 2 < pixels.size() && colors.size() < enough; i += 3) {
    const unsigned color =
        static_cast<unsigned>(pixels[i]) << 16 | static_cast<unsigned>(pixels[i + 1]) << 8 | pixels[i + 2];
    if (color != last) colors.insert(last = color);  // most neighbours are equal
  }
  return colors.size();
}

/// A grid over two parameters, measured on a GPU, with one wrong and one lost point.
Session sample_session() {
  Session session;
  session.created_utc = "2026-01-02T03:04:05Z";
  for (const std::int64_t m : {16, 32, 64, 128}) {
    for (const std::int64_t n : {16, 32, 64, 128}) {
      Experiment experiment;
      experiment.kernel = "flash_scalar";
      experiment.parameters = {{"BLOCK_M", m},
                               {"BLOCK_N", n},
                               {"NUM_WARPS", std::int64_t{8}},
                               {"VEC_WIDTH", std::int64_t{8}},
                               {"SMEM_LAYOUT", "xor_swizzle"}};
      experiment.device = "L4";
      Measurement point = failed_measurement(experiment, Status::ok, "");
      point.device = {"L4", "sm_89", true};
      point.resources = Resources{64 + m / 2, 0, 400 * m, 0, 0, std::to_string(m * n)};
      point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.5, 0.5, 64};
      Latency latency;
      latency.p50_us = 40 + 600.0 / static_cast<double>(m) + static_cast<double>(n) / 8;
      latency.p10_us = latency.p50_us * 0.97;
      latency.p90_us = latency.p50_us * 1.08;
      latency.samples = 100;
      latency.tflops = 5;
      latency.tflops_formula = "4*B*Hq*Sq*Sk*D / p50";
      point.latency = latency;
      if (m == 64 && n == 32) {
        point = failed_measurement(experiment, Status::wrong_result, "max error 0.28, allowed 0.001");
        point.device = {"L4", "sm_89", true};
      }
      session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
    }
  }
  return session;
}

class Panels : public testing::Test {
 protected:
  void SetUp() override {
    try {
      Graphics::offscreen(64, 64);
    } catch (const GraphicsError& error) {
      GTEST_SKIP() << error.what();
    }
    SessionWriter(scratch / "sample.json").write(sample_session());
    place.data = scratch / "data";
    place.config = scratch / "config";
    panels = {"window"};
    for (const auto& panel : make_registered_panels()) panels.push_back(panel->id());
    ASSERT_GT(panels.size(), 4U) << "panels were left out by the linker";
  }

  void draw(PictureOptions options, const std::string& name) {
    for (const Look& look : looks) {
      options.width = look.width;
      options.height = look.height;
      options.scale = look.scale;
      options.light = look.light;
      const std::string file = name + (look.light ? "_light_" : "_dark_") + std::to_string(look.height);
      options.to = pictures / (file + ".png");
      SCOPED_TRACE(file);
      const Json made = make_picture(place, options);
      EXPECT_EQ(made["width"], look.width);
      EXPECT_GT(colors_in(options.to, 20), 15U) << "nothing to be seen";
    }
  }
  void draw_all(const std::filesystem::path& session, const std::string& name) {
    PictureOptions options;
    options.session = session;
    for (const std::string& panel : panels) {
      options.panel = panel;
      draw(options, panel + "_" + name);
    }
  }

  ScratchFolder scratch;
  Installation place = find_installation();
  std::filesystem::path pictures = std::filesystem::path(TILESCOPE_BUILD_DIR) / "pictures";
  std::vector<std::string> panels;
};

TEST_F(Panels, DrawAnEmptySession) {
  std::filesystem::create_directories(pictures);
  draw_all({}, "empty");
}

TEST_F(Panels, DrawASessionOfPoints) {
  std::filesystem::create_directories(pictures);
  draw_all(scratch / "sample.json", "points");
}

TEST_F(Panels, StandInEachShippedWorkspace) {
  std::filesystem::create_directories(pictures);
  LeastSizes least;
  for (const auto& panel : make_registered_panels()) least[panel->id()] = panel->least_size();
  const InstalledWorkspaces shipped =
      read_workspaces(list_json_files(place.root / "assets/workspaces"), least);
  EXPECT_TRUE(shipped.problems.empty()) << shipped.problems.front();
  ASSERT_FALSE(shipped.layouts.empty());
  EXPECT_EQ(shipped.layouts[0].id, "tune") << "the window's first look, and that of its pictures";
  PictureOptions options;
  options.session = scratch / "sample.json";
  for (const WorkspaceLayout& workspace : shipped.layouts) {
    options.workspace = workspace.id;
    draw(options, "window_" + workspace.id);
  }
}

TEST_F(Panels, OneOfTheWindowIsAPictureWithoutTheWindow) {
  const Graphics graphics = Graphics::offscreen(1280, 720);
  const Canvas canvas(1280, 720);
  Gui gui(nullptr);
  apply_theme(ThemeKind::light, 1);
  Explorer explorer(place, {});
  explorer.points().open_session(scratch / "sample.json");
  Settings settings;
  Workspace workspace(explorer, settings);
  const auto frames = [&](int count) {
    for (int i = 0; i < count; ++i) {
      explorer.update();
      gui.begin_frame(1280, 720);
      workspace.draw();
      gui.end_frame();
      canvas.bind();
      gui.paint(1280, 720);
    }
  };
  frames(6);
  const std::filesystem::path file = scratch / "heat_map.png";
  ImVec2 size;
  workspace.find_panel("heat_map")->request_picture(false, [&](ImDrawData& data) {
    size = data.DisplaySize;
    write_png(file, data);
  });
  frames(3);
  ASSERT_TRUE(std::filesystem::exists(file)) << "a panel behind another tab comes to the front";
  EXPECT_GT(colors_in(file, 20), 15U);
  EXPECT_LT(size.x, 1000);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, file.c_str()), 0);
  EXPECT_EQ(image.width, static_cast<png_uint_32>(size.x));
  png_image_free(&image);
}

TEST_F(Panels, APictureOfAnotherKernelThanThatOfTheSessionIsNotDrawn) {
  Session session = sample_session();
  Experiment experiment;
  experiment.kernel = "not_here/mine.cu";
  session.points.push_back(
      std::make_shared<const Measurement>(failed_measurement(experiment, Status::wrong_result, "too large")));
  SessionWriter(scratch / "gone.json").write(session);
  PictureOptions options;
  options.session = scratch / "gone.json";
  options.panel = "microscope";
  options.to = scratch / "gone.png";
  try {
    make_picture(place, options);
    FAIL() << "it was drawn";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("'not_here/mine.cu'"), std::string::npos) << error.what();
  }
}

TEST_F(Panels, AnUnknownWorkspaceIsNamedWithTheNearest) {
  PictureOptions options;
  options.workspace = "tun";
  options.to = scratch / "x.png";
  try {
    make_picture(place, options);
    FAIL() << "it was drawn";
  } catch (const UnknownName& error) {
    EXPECT_NE(std::strstr(error.what(), "'tune'"), nullptr) << error.what();
  }
}

TEST_F(Panels, AnUnknownOneIsNamedWithTheNearest) {
  PictureOptions options;
  options.panel = "latencies";
  options.to = scratch / "x.png";
  try {
    make_picture(place, options);
    FAIL() << "it was drawn";
  } catch (const UnknownName& error) {
    EXPECT_NE(std::strstr(error.what(), "latency"), nullptr) << error.what();
  }
}

TEST_F(Panels, APictureThatCannotBeWrittenIsSaid) {
  PictureOptions options;
  options.to = scratch / "no_such_folder/x.png";
  EXPECT_THROW(make_picture(place, options), std::runtime_error);
}

TEST_F(Panels, ADamagedSessionIsAnErrorAndNoPicture) {
  PictureOptions options;
  options.session = scratch / "nowhere.json";
  options.to = scratch / "x.png";
  EXPECT_THROW(make_picture(place, options), SessionError);
  EXPECT_FALSE(std::filesystem::exists(options.to));
}

}  // namespace
}  // namespace tilescope
