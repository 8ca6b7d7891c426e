#include "profiler/devices/device_model.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/output_file.hpp"
#include "profiler/devices/fitted_parameters.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path shipped = fs::path(TILESCOPE_SOURCE_DIR) / "assets" / "devices";

std::vector<DeviceModel> tables() {
  return load_device_tables(shipped);
}

const DeviceModel& table(const std::vector<DeviceModel>& all, std::string_view name) {
  const DeviceModel* found = match_device(all, std::string(name));
  if (found == nullptr) throw std::runtime_error("no table " + std::string(name));
  return *found;
}

Json l4_table() {
  return Json::parse(std::ifstream(shipped / "l4.json"));
}

TEST(DeviceTables, TheOnesThatShipAreCompleteAndSayWhereEveryNumberIsFrom) {
  const std::vector<DeviceModel> all = tables();
  ASSERT_GE(all.size(), 6u);
  for (const DeviceModel& device : all) {
    const Json document = to_json_document(device);
    for (const auto& [field, value] : document.items()) {
      if (!value.is_number()) continue;
      EXPECT_TRUE(device.sources.contains(field)) << device.name << "." << field;
      EXPECT_GE(device.sources.at(field).size(), 10u) << device.name << "." << field;
    }
    for (const auto& [field, source] : device.sources) {
      EXPECT_TRUE(document.at(field).is_number()) << device.name << "." << field;
    }
    EXPECT_FALSE(device.aliases.empty()) << device.name;
    EXPECT_FALSE(device.present) << device.name;
    EXPECT_EQ(device.max_warps_per_sm * 32, device.max_threads_per_sm) << device.name;
    EXPECT_EQ(device.shared_bytes_per_block_optin + device.reserved_shared_bytes_per_block,
              device.shared_bytes_per_sm)
        << device.name;
  }
}

TEST(DeviceTables, EachIsCompiledForItsOwnArchitecture) {
  const std::map<std::string, std::string> archs{{"L4", "sm_89"},   {"RTX 4090", "sm_89"}, {"A10", "sm_86"},
                                                 {"A100", "sm_80"}, {"H100", "sm_90a"},    {"H200", "sm_90a"},
                                                 {"L40S", "sm_89"}, {"A10G", "sm_86"}};
  const std::vector<DeviceModel> all = tables();
  for (const auto& [name, arch] : archs) EXPECT_EQ(table(all, name).arch, arch);
}

TEST(DeviceTables, TheL4IsTheOneThatTilescopeAimsAt) {
  const std::vector<DeviceModel> all = tables();
  const DeviceModel& l4 = table(all, "L4");
  EXPECT_EQ(l4.sm_count, 58);
  EXPECT_EQ(l4.max_warps_per_sm, 48);
  EXPECT_EQ(l4.max_blocks_per_sm, 24);
  EXPECT_EQ(l4.shared_bytes_per_block, 49152);
  EXPECT_EQ(l4.shared_bytes_per_block_optin, 101376);
  EXPECT_EQ(l4.l2_bytes, 48 << 20);
  EXPECT_DOUBLE_EQ(l4.dram_gb_per_s, 300);
  EXPECT_DOUBLE_EQ(l4.fp16_tflops, 121);
}

// Tensor FLOP per clock and SM, which datasheets do not print, relate three numbers of a table.
TEST(DeviceTables, TensorThroughputFitsSmsAndClock) {
  const std::map<std::string, double> per_clock{
      {"L4", 1024},   {"RTX 4090", 512}, {"A10", 1024}, {"A100", 2048},    {"H100", 4096},
      {"H200", 4096}, {"L40S", 1024},    {"L20", 512},  {"RTX 4080", 512}, {"RTX 4070", 512}};
  const std::vector<DeviceModel> all = tables();
  for (const auto& [name, flop] : per_clock) {
    const DeviceModel& device = table(all, name);
    const double tflops = flop * static_cast<double>(device.sm_count) * device.boost_clock_mhz * 1e-6;
    // Hopper's datasheet figure is for 1,830 MHz, 8 % below the greatest clock.
    EXPECT_NEAR(tflops / device.fp16_tflops, 1, 0.09) << name;
  }
}

TEST(MatchDevice, TakesWholeNamesInAnyCase) {
  const std::vector<DeviceModel> all = tables();
  EXPECT_EQ(table(all, "NVIDIA L4").name, "L4");
  EXPECT_EQ(table(all, "nvidia h200").name, "H200");
  EXPECT_EQ(table(all, "NVIDIA GeForce RTX 4090").name, "RTX 4090");
  EXPECT_EQ(table(all, "NVIDIA A100-SXM4-80GB").name, "A100");
  for (const char* other : {"NVIDIA L40", "NVIDIA L40G", "NVIDIA A100-PCIE-40GB", "NVIDIA H100 PCIe",
                            "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", ""}) {
    EXPECT_EQ(match_device(all, other), nullptr) << other;
  }
}

TEST(DeviceDocument, ReadsBackWhatItWrote) {
  DeviceModel device = table(tables(), "H200");
  device.present = true;
  device.ordinal = 3;
  device.measured["ffma_latency_cycles"] = {4.5, "cycles", 0.25, "measured: clock64"};
  const Json document = to_json_document(device);
  EXPECT_EQ(to_json_document(device_model_from(document)), document);
  EXPECT_EQ(device_model_from(document).ordinal, 3);
}

TEST(DeviceDocument, WhatIsNotKnownIsNullAndNeverZero) {
  DeviceModel device;
  device.name = "NVIDIA Something";
  device.arch = "sm_80";
  device.compute_major = 8;
  const Json document = to_json_document(device);
  EXPECT_TRUE(document.at("fp16_tflops").is_null());
  EXPECT_TRUE(document.at("ordinal").is_null());
  EXPECT_EQ(document.at("compute_minor"), 0);
  EXPECT_EQ(device_model_from(document).fp16_tflops, 0);
}

class DeviceFolder : public testing::Test {
 protected:
  DeviceFolder() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-devices-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~DeviceFolder() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::string complaint() const {
    try {
      load_device_tables(folder_);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  }

  /// The error for the L4's table after a change.
  template <typename Change>
  std::string complaint_after(Change change) const {
    Json json = l4_table();
    change(json);
    write("changed.json", json.dump());
    return complaint();
  }

  fs::path folder_;
};

TEST_F(DeviceFolder, EveryMissingFieldIsNamedWithItsFile) {
  const Json whole = l4_table();
  const std::set<std::string> optional{"l2_bytes_per_clk_sm", "power_capped_clock_mhz",
                                       "power_capped_clock_min_mhz", "power_limit_w", "idle_w"};
  for (const auto& [field, value] : whole.items()) {
    if (optional.contains(field)) continue;
    const std::string text = complaint_after([&, &key = field](Json& json) { json.erase(key); });
    EXPECT_NE(text.find((folder_ / "changed.json").string() + ": /" + field + ": is missing"),
              std::string::npos)
        << text;
  }
}

TEST_F(DeviceFolder, WhatIsNotPublishedOfEveryDeviceMayBeMissing) {
  for (const char* field : {"l2_bytes_per_clk_sm", "power_capped_clock_mhz", "power_limit_w", "idle_w"})
    EXPECT_EQ(complaint_after([&](Json& json) { json.erase(field); }), "accepted") << field;
}

TEST_F(DeviceFolder, WrongValuesUnitsAndSourcesAreNamed) {
  const auto expect = [&](const char* pointer, const Json& value, const std::string& words) {
    const std::string text = complaint_after([&](Json& json) { json[Json::json_pointer(pointer)] = value; });
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect("/shared_bytes_per_sm/unit", "KB", "/shared_bytes_per_sm/unit: expected 'B', found 'KB'");
  expect("/sm_count/value", 0, "/sm_count/value: must be more than 0");
  expect("/sm_count/value", 58.5, "/sm_count/value: expected a whole number");
  expect("/fp16_tflops/value", nullptr, "/fp16_tflops/value: must be more than 0");
  expect("/l2_bytes/source", "", "/l2_bytes/source: is empty");
  expect("/sm_count", 58, "/sm_count: expected an object");
  expect("/arch", "sm_90", "/arch: 'sm_90' does not fit compute capability 8.9");
  expect("/sm_cuont", 1, "/sm_cuont: is not a field of a device table");
}

TEST_F(DeviceFolder, BrokenFilesTwinsAndEmptyFoldersAreRefused) {
  EXPECT_NE(complaint().find("there is no .json file"), std::string::npos);
  write("l4.json", l4_table().dump());
  write("twin.json", l4_table().dump());
  EXPECT_NE(complaint().find("two tables are named 'L4'"), std::string::npos);
  write("twin.json", "{");
  EXPECT_NE(complaint().find("twin.json: "), std::string::npos);
  EXPECT_THROW(load_device_tables(folder_ / "absent"), std::runtime_error);
}

MeasuredFigure figure(double value) {
  return {value, "cycles", 0.25, "measured: clock64, 2026-11-21, driver 580.1, 2040 MHz"};
}

/// The shipped tables and a user's data folder.
class CalibratedTables : public DeviceFolder {
 protected:
  CalibratedTables() {
    installation_.devices = shipped;
    installation_.data = folder_ / "data";
  }

  std::string complaint_after_writing(const Json& table) const {
    fs::create_directories(installation_.data / "devices");
    std::ofstream(installation_.data / "devices" / "own.json") << table.dump();
    try {
      load_device_tables(installation_);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  }

  Installation installation_;
};

TEST_F(CalibratedTables, OneReplacesTheShippedOneOfItsName) {
  const std::vector<DeviceModel> before = load_device_tables(installation_);
  DeviceModel l4 = table(before, "L4");
  EXPECT_TRUE(l4.measured.empty()) << "the tables that ship are not calibrated";
  l4.boost_clock_mhz = 2041;
  l4.sources["boost_clock_mhz"] = "the driver of this machine";
  l4.measured = {{"ffma_latency_cycles", figure(4.5)}, {"l2_latency_cycles", figure(276)}};
  const fs::path file = device_table_path(installation_, l4.name);
  EXPECT_EQ(file, installation_.data / "devices" / "l4.json");
  write_device_table(file, l4);

  const std::vector<DeviceModel> after = load_device_tables(installation_);
  EXPECT_EQ(after.size(), before.size());
  EXPECT_EQ(to_json_document(table(after, "NVIDIA L4")), to_json_document(l4));
  EXPECT_EQ(table(after, "L4").measured, l4.measured);
  EXPECT_TRUE(table(after, "A100").measured.empty());
  EXPECT_EQ(load_device_tables(shipped).size(), before.size()) << "the folder alone is read as before";
}

TEST_F(CalibratedTables, ADeviceThatNobodyShipsLacksWhatNoDriverKnows) {
  DeviceModel other = table(load_device_tables(installation_), "H100");
  other.name = "NVIDIA H100 PCIe";
  other.aliases.clear();
  other.fp16_tflops = 0;
  other.sources.erase("fp16_tflops");
  other.measured = {{"ffma_latency_cycles", figure(4)}};
  const fs::path file = device_table_path(installation_, other.name);
  EXPECT_EQ(file.filename(), "nvidia_h100_pcie.json");
  write_device_table(file, other);
  const std::vector<DeviceModel> all = load_device_tables(installation_);
  EXPECT_EQ(table(all, "NVIDIA H100 PCIe").fp16_tflops, 0);
  EXPECT_EQ(table(all, "H100").fp16_tflops, 989);
  EXPECT_TRUE(to_json_document(table(all, "NVIDIA H100 PCIe")).at("fp16_tflops").is_null());
}

TEST_F(CalibratedTables, WhatIsWrongInAMeasuredFigureIsNamed) {
  DeviceModel l4 = table(load_device_tables(installation_), "L4");
  l4.measured = {{"ffma_latency_cycles", figure(4.5)}};
  const Json whole = to_table_document(l4);
  EXPECT_EQ(complaint_after_writing(whole), "accepted");
  const auto expect = [&](const char* pointer, const Json& value, const std::string& words) {
    Json changed = whole;
    changed[Json::json_pointer(pointer)] = value;
    const std::string text = complaint_after_writing(changed);
    EXPECT_NE(text.find("own.json: " + words), std::string::npos) << text;
  };
  const std::string place = "/measured/ffma_latency_cycles";
  expect("/measured/ffma_latency_cycles/value", 0, place + "/value: must be more than 0");
  expect("/measured/ffma_latency_cycles/value", nullptr, place + "/value: must be more than 0");
  expect("/measured/ffma_latency_cycles/spread", -1, place + "/spread: must be 0 or more");
  expect("/measured/ffma_latency_cycles/unit", "", place + "/unit: is empty");
  expect("/measured/ffma_latency_cycles/source", "", place + "/source: is empty");
  expect("/measured/ffma_latency_cycles/note", "x", place + "/note: is not a field of a measured figure");
  expect("/measured", 1,
         "/measured: expected an object, found number; correct this device table or remove it");
  expect("/measure", 1, "/measure: is not a field of a device table");
  Json without = whole;
  without.erase("sm_count");
  EXPECT_NE(complaint_after_writing(without).find("/sm_count: is missing"), std::string::npos);
}

TEST_F(CalibratedTables, AnImpossibleFittedNumberIsNamedWithItsLimits) {
  const Json whole = to_table_document(table(load_device_tables(installation_), "H200"));
  EXPECT_EQ(complaint_after_writing(whole), "accepted");
  const auto expect = [&](const std::string& pointer, const Json& value, const std::string& words) {
    Json changed = whole;
    changed[Json::json_pointer("/fitted" + pointer)] = value;
    const std::string text = complaint_after_writing(changed);
    EXPECT_NE(text.find("own.json: /fitted" + words), std::string::npos) << text;
  };
  expect("/lsu_slowdown/value", 0, "/lsu_slowdown/value: must be from 1.0 to 4.0, found 0.0");
  expect("/l2_kept/value", 1.5, "/l2_kept/value: must be from 0.1 to 1.0, found 1.5");
  expect("/launch_us/value", -1, "/launch_us/value: must be from 0.0 to 20.0, found -1.0");
  expect("/jump_cycles/value", nullptr, "/jump_cycles/value: must be from 0.0 to 40.0, found null");
  expect("/error_p90/value", -0.1, "/error_p90/value: must be from 0.0 to 1000.0, found -0.1");
  expect("/least_us/value", 0, "/least_us/value: must be from 0.001 to");
  expect("/most_us/value", 5, "/most_us/value: must be at least the value of least_us, 5.2");
  expect("/launch_us/unit", "cycles", "/launch_us/unit: expected 'us', found 'cycles'");
  expect("/lsu_slowdwon", whole["fitted"]["lsu_slowdown"], "/lsu_slowdwon: is not a field of what is fitted");
}

TEST_F(CalibratedTables, EveryFittedNumberHasLimitsThatAreKeptAndMayNotBeMissing) {
  const Json whole = to_table_document(table(load_device_tables(installation_), "H200"));
  for (const FittedFigure& figure : fitted_figures()) {
    const std::string place = std::string("/fitted/") + figure.name;
    for (const double value : {figure.least - 1, figure.most * 1.001}) {
      Json changed = whole;
      changed["fitted"][figure.name]["value"] = value;
      EXPECT_NE(complaint_after_writing(changed).find(place + "/value: must be from"), std::string::npos)
          << figure.name;
    }
    Json without = whole;
    without["fitted"].erase(figure.name);
    EXPECT_NE(complaint_after_writing(without).find(place + ": is missing"), std::string::npos);
  }
  Json unfitted = whole;
  unfitted["fitted"] = Json::object();
  EXPECT_EQ(complaint_after_writing(unfitted), "accepted");
}

TEST(FittedParameters, WhatIsAssumedLiesWithinTheLimits) {
  for (const FittedParameter& parameter : fitted_parameters()) {
    EXPECT_LE(parameter.least, parameter.assumed) << parameter.name;
    EXPECT_GE(parameter.most, parameter.assumed) << parameter.name;
    EXPECT_LT(parameter.least, parameter.most) << parameter.name;
  }
}

TEST(FittedParameters, TheSchemaHasTheSameNamesAndLimits) {
  const fs::path file = fs::path(TILESCOPE_SOURCE_DIR) / "sessions" / "schema.json";
  const Json schema = Json::parse(std::ifstream(file))["$defs"]["fitted_figures"];
  const std::vector<FittedFigure> figures = fitted_figures();
  EXPECT_EQ(schema["properties"].size(), figures.size());
  EXPECT_EQ(schema["required"].size(), figures.size());
  for (const FittedFigure& figure : figures) {
    ASSERT_TRUE(schema["properties"].contains(figure.name)) << figure.name;
    const Json& properties = schema["properties"][figure.name]["properties"];
    EXPECT_EQ(properties["value"]["minimum"], figure.least) << figure.name;
    EXPECT_EQ(properties["value"]["maximum"], figure.most) << figure.name;
    EXPECT_EQ(properties["unit"]["const"], figure.unit) << figure.name;
  }
}

TEST_F(CalibratedTables, ATableThatCannotBeWrittenLeavesTheOldOne) {
  const DeviceModel l4 = table(load_device_tables(installation_), "L4");
  write("data", "a file where the folder should be");
  EXPECT_THROW(write_device_table(device_table_path(installation_, "L4"), l4), UnwritableFile);
  EXPECT_EQ(load_device_tables(installation_).size(), load_device_tables(shipped).size());
}

}  // namespace
}  // namespace tilescope
