// Contributions, as `report --calibration` writes them.

#include "app/commands/contribution.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<DeviceModel> shipped_tables() {
  return load_device_tables(fs::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
}

SharedMeasurement timed_point(const std::string& kernel) {
  Measurement point;
  point.kernel = kernel;
  point.device = {"NVIDIA L4", "sm_89", true};
  point.resources.emplace();
  point.resources->sass_sha256 = "abc";
  point.latency.emplace();
  point.latency->p10_us = point.latency->p50_us = point.latency->p90_us = 12;
  point.provenance.host = "Debian on the machine of somebody";
  point.provenance.compile_options = {"-I/home/somebody/secret"};
  point.provenance.sm_clock_mhz = 1500;
  point.notes = {"read from /home/somebody"};
  point.compiler_log = "/home/somebody/kernel.cu:3";
  return std::make_shared<const Measurement>(std::move(point));
}

TEST(Contribution, NamesNeitherHostNorPath) {
  Session session;
  session.points = {timed_point("mma_flash"), timed_point("/home/somebody/kernel.cu")};
  session.sources["abc"] = {"secret.cu", "text", {}};
  const Contribution contribution = contribution_of(session, "", shipped_tables());
  EXPECT_EQ(contribution.device, "L4");
  EXPECT_EQ(contribution.session.points.size(), 1u);
  EXPECT_EQ(contribution.left_out, 1u);
  const fs::path file = fs::path(testing::TempDir()) / "contribution.json";
  const std::string text = session_text(contribution.session);
  std::ofstream(file) << text;
  for (const char* trace : {"somebody", "secret", "/home"})
    EXPECT_EQ(text.find(trace), std::string::npos) << trace;
  const Session again = load_session(file);
  ASSERT_EQ(again.points.size(), 1u);
  EXPECT_EQ(again.points[0]->latency->p50_us, 12);
  EXPECT_EQ(again.points[0]->provenance.sm_clock_mhz, 1500);
  const std::optional<DeviceModel> device = contributed_device(file);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->sm_count, 58);
  EXPECT_TRUE(device->fitted.empty());
}

TEST(Contribution, OfAGpuWithoutATableHasThePointsAlone) {
  Session session;
  session.points = {timed_point("mma_flash")};
  const Contribution contribution = contribution_of(session, "", {});
  EXPECT_EQ(contribution.device, "NVIDIA L4");
  const fs::path file = fs::path(testing::TempDir()) / "points_alone.json";
  std::ofstream(file) << session_text(contribution.session);
  EXPECT_EQ(load_session(file).points.size(), 1u);
  EXPECT_FALSE(contributed_device(file));
}

TEST(Contribution, NeedsATimedPoint) {
  EXPECT_THROW(contribution_of(Session(), "", shipped_tables()), CannotRun);
  Session session;
  session.points = {timed_point("mma_flash")};
  EXPECT_THROW(contribution_of(session, "H100", shipped_tables()), CannotRun);
}

}  // namespace
}  // namespace tilescope
