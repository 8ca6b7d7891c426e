#include "app/commands/fit_points.hpp"

#include <gtest/gtest.h>

#include "app/commands/device_details.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/service/client/carried_source.hpp"

namespace tilescope {
namespace {

TEST(FigureNumber, HasFiveDigitsAndNoneThatMeanNothing) {
  EXPECT_EQ(figure_number(0), "0");
  EXPECT_EQ(figure_number(0.05), "0.05");
  EXPECT_EQ(figure_number(4.0123456), "4.0123");
  EXPECT_EQ(figure_number(4585.12), "4585.1");
  EXPECT_EQ(figure_number(62914560), "62,914,560");
  EXPECT_EQ(figure_number(123456.7), "123,457");
}

class FitPointsTest : public ::testing::Test {
 protected:
  FitPointsTest() {
    installation_.kernels = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels";
    tables_ = load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
  }

  /// A measured point of flash_scalar, which may be changed before it is added.
  static Measurement point(const std::string& device, double p50_us = 10) {
    Measurement point;
    point.kernel = "flash_scalar";
    point.device = {device, "sm_89", true};
    point.resources = Resources{};
    point.resources->sass_sha256 = std::string(64, 'c');
    point.latency = Latency{};
    point.latency->p50_us = p50_us;
    return point;
  }
  void add(const Measurement& point) {
    session_.points.push_back(std::make_shared<const Measurement>(point));
  }
  FitPoints of(const std::string& device) const {
    return fit_points(session_, *match_device(tables_, device), tables_, installation_);
  }

  Installation installation_;
  std::vector<DeviceModel> tables_;
  Session session_;
};

TEST_F(FitPointsTest, ADeviceIsCountedByTheNameOfItsTable) {
  add(point("NVIDIA L4"));
  add(point("L4"));
  add(point("Another GPU"));
  Measurement failed = point("H200");
  failed.status = Status::launch_failed;
  add(failed);
  Measurement compiled = point("H200");
  compiled.latency.reset();
  add(compiled);
  const auto timed = timed_points(session_, tables_);
  EXPECT_EQ(timed, (std::map<std::string, std::size_t>{{"L4", 2}, {"Another GPU", 1}}));
  EXPECT_EQ(most_frequent(timed), "L4");
  EXPECT_EQ(most_frequent({}), "");
}

TEST_F(FitPointsTest, TheNewestPointOfAConfigurationCounts) {
  add(point("L4", 10));
  add(point("NVIDIA L4", 12));
  Measurement other = point("L4", 20);
  other.shape.causal = true;
  add(other);
  add(point("A100", 30));
  const FitPoints points = of("L4");
  ASSERT_EQ(points.experiments.size(), 2u);
  EXPECT_EQ(points.experiments[0].device, "L4");
  EXPECT_EQ(points.recorded[0].p50_us, 12);
  EXPECT_EQ(points.recorded[1].p50_us, 20);
}

TEST_F(FitPointsTest, PointsWithoutMachineCodeAreCounted) {
  Measurement of_library = point("L4");
  of_library.resources.reset();
  add(of_library);
  Measurement imported = point("L4");
  imported.resources->sass_sha256.clear();
  add(imported);
  const FitPoints points = of("L4");
  EXPECT_TRUE(points.experiments.empty());
  EXPECT_EQ(points.without_code, 2u);
}

TEST_F(FitPointsTest, OnlyAKernelThatChangedCarriesTheRecordedSource) {
  const KernelSource now = kernel_source_of(*find_kernel_source(installation_, "flash_scalar"));
  const std::string older(64, 'b');
  session_.sources = {{now.sha256, now.file}, {older, {"flash_scalar.cu", "as it was", {}}}};
  Measurement current = point("L4");
  current.provenance.source_sha256 = now.sha256;
  add(current);
  Measurement of_older = point("L4");
  of_older.shape.causal = true;
  of_older.provenance.source_sha256 = older;
  add(of_older);
  Measurement of_lost = point("L4");
  of_lost.shape.dtype = DataType::bf16;
  of_lost.provenance.source_sha256 = std::string(64, 'd');
  add(of_lost);
  const FitPoints points = of("L4");
  ASSERT_EQ(points.experiments.size(), 3u);
  EXPECT_FALSE(points.experiments[0].source);
  ASSERT_TRUE(points.experiments[1].source);
  EXPECT_EQ(points.experiments[1].source->text, "as it was");
  EXPECT_FALSE(points.experiments[2].source);
}

}  // namespace
}  // namespace tilescope
