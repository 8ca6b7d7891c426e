#include "profiler/views/model/ceilings.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace tilescope {
namespace {

class CeilingsOfTheTables : public ::testing::Test {
 protected:
  const DeviceModel& device(const std::string& name) const { return *match_device(tables_, name); }
  std::vector<DeviceModel> tables_ =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
};

TEST_F(CeilingsOfTheTables, EveryShippedDeviceHasBothPeaksDramAndSharedMemoryWithASource) {
  for (const DeviceModel& table : tables_) {
    const DeviceCeilings ceilings = device_ceilings(table);
    for (const CeilingId id : {CeilingId::tensor, CeilingId::fma, CeilingId::dram, CeilingId::shared}) {
      const Ceiling* ceiling = ceilings.find(id);
      ASSERT_NE(ceiling, nullptr) << table.name << ", " << to_words(id);
      EXPECT_GT(ceiling->peak.value, 0);
      EXPECT_GE(ceiling->peak.source.size(), 20u) << ceiling->peak.source;
      EXPECT_EQ(ceiling->peak.source.find("unknown"), std::string::npos) << ceiling->peak.source;
    }
  }
}

TEST_F(CeilingsOfTheTables, ThePeaksOfTheL4AreThoseOfItsTable) {
  const DeviceCeilings ceilings = device_ceilings(device("L4"));
  EXPECT_DOUBLE_EQ(ceilings.find(CeilingId::tensor)->peak.value, 121);
  EXPECT_NEAR(ceilings.find(CeilingId::fma)->peak.value, 2 * 128 * 58 * 2040e6 / 1e12, 1e-9);
  EXPECT_DOUBLE_EQ(ceilings.find(CeilingId::dram)->peak.value, 300);
  EXPECT_NEAR(ceilings.find(CeilingId::l2)->peak.value, 14.8 * 58 * 2040e6 / 1e9, 1e-6);
  EXPECT_NEAR(ceilings.find(CeilingId::shared)->peak.value, 128.0 * 58 * 2040e6 / 1e9, 1e-6);
  EXPECT_EQ(ceilings.find(CeilingId::tensor)->peak.source,
            "Device table: NVIDIA L4 datasheet: 242 with sparsity, half of that dense (derived).");
  EXPECT_EQ(ceilings.find(CeilingId::fma)->peak.source, "Derived: 2 * 128 lanes * 58 SMs * 2,040 MHz.");
  EXPECT_TRUE(ceilings.unknown.empty());
}

TEST_F(CeilingsOfTheTables, UnderItsPowerCapTheL4HasAboutSeventyTeraflops) {
  const DeviceCeilings ceilings = device_ceilings(device("L4"));
  const Ceiling& tensor = *ceilings.find(CeilingId::tensor);
  ASSERT_EQ(tensor.others.size(), 1u);
  EXPECT_NEAR(tensor.others.front().value, 121.0 * 1200 / 2040, 1e-9);
  EXPECT_EQ(tensor.others.front().remark, "at 1,200 MHz");
  EXPECT_NE(tensor.others.front().source.find("72 W"), std::string::npos);
  EXPECT_TRUE(ceilings.find(CeilingId::dram)->others.empty()) << "DRAM does not follow the SM clock";
  EXPECT_EQ(figure_label(CeilingId::tensor, tensor.others.front()), "Tensor FP16, at 1,200 MHz 71.2 TFLOP/s");
}

TEST_F(CeilingsOfTheTables, WhatACalibrationMeasuredStandsBesideThePeak) {
  const DeviceModel& h200 = device("H200");
  const DeviceCeilings ceilings = device_ceilings(h200);
  const Ceiling& dram = *ceilings.find(CeilingId::dram);
  EXPECT_DOUBLE_EQ(dram.peak.value, 4800);
  ASSERT_EQ(dram.others.size(), 1u);
  EXPECT_DOUBLE_EQ(dram.others.front().value, h200.measured.at("dram_read_gb_per_s").value);
  EXPECT_NE(dram.others.front().source.find(h200.measured.at("dram_read_gb_per_s").source),
            std::string::npos);
  const Ceiling& shared = *ceilings.find(CeilingId::shared);
  const double cycles = h200.measured.at("shared_load_16B_1way_cycles").value;
  EXPECT_NEAR(shared.others.front().value, 512 / cycles * 132 * 1980e6 / 1e9, 1e-6);
  const Ceiling& fma = *ceilings.find(CeilingId::fma);
  EXPECT_NEAR(fma.others.front().value,
              2 * h200.measured.at("ffma_lanes_per_clk_sm").value * 132 * 1980e6 / 1e12, 1e-9);
}

TEST_F(CeilingsOfTheTables, WithoutANumberInTheTableTheMeasuredOneIsThePeak) {
  const DeviceCeilings ceilings = device_ceilings(device("H200"));
  const Ceiling& l2 = *ceilings.find(CeilingId::l2);
  EXPECT_DOUBLE_EQ(l2.peak.value, device("H200").measured.at("l2_read_gb_per_s").value);
  EXPECT_TRUE(l2.others.empty());
  EXPECT_EQ(figure_words(CeilingId::l2, l2.peak), "8,485 GB/s");
}

TEST_F(CeilingsOfTheTables, WhatIsNotKnownIsSaidAndNotGuessed) {
  const DeviceCeilings a10 = device_ceilings(device("A10"));
  EXPECT_EQ(a10.find(CeilingId::l2), nullptr);
  ASSERT_EQ(a10.unknown.size(), 1u);
  EXPECT_EQ(a10.unknown.front(),
            "L2 bandwidth of A10 is not known: tilescope devices --calibrate measures it on the device.");
  DeviceModel nothing;
  nothing.name = "NVIDIA Something";
  EXPECT_TRUE(device_ceilings(nothing).known.empty());
  EXPECT_EQ(device_ceilings(nothing).unknown.size(), 5u);
}

}  // namespace
}  // namespace tilescope
