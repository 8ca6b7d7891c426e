#include <bit>
#include <cmath>

#include "base/json.hpp"
#include "sessions/import/tests/import_fixture.hpp"

namespace tilescope {
namespace {

Json value(const std::string& type, const std::string& text) {
  return {{"name", "value"}, {"type", type}, {"value", text}};
}

Json summary(const std::string& tag, const std::string& text) {
  return {{"tag", tag}, {"name", "a name"}, {"data", Json::array({value("float64", text)})}};
}

Json samples_summary(const std::string& file, int size) {
  return {{"tag", "nv/json/bin:nv/cold/sample_times"},
          {"data", Json::array({{{"name", "filename"}, {"type", "string"}, {"value", file}},
                                {{"name", "size"}, {"type", "int64"}, {"value", std::to_string(size)}}})}};
}

Json axis(const std::string& name, const std::string& type, const std::string& text) {
  return {{"name", name}, {"type", type}, {"value", text}};
}

Json state(int block) {
  return {
      {"name", "Device=0 BLOCK_M=" + std::to_string(block)},
      {"device", 0},
      {"axis_values", Json::array({axis("BLOCK_M", "int64", std::to_string(block)), axis("S", "int64", "512"),
                                   axis("RATE", "float64", "0.5"), axis("LAYOUT", "string", "rows")})},
      {"summaries",
       Json::array({summary("nv/cold/sample_size", "200"), summary("nv/cold/time/gpu/mean", "4.25e-05"),
                    summary("nv/cold/time/gpu/stdev/absolute", "1e-06"),
                    summary("nv/cold/sm_clock_rate/mean", "1980000000"),
                    summary("nv/batch/time/gpu/mean", "3.5e-05")})},
      {"is_skipped", false}};
}

Json document() {
  return {
      {"meta",
       {{"version", {{"json", {{"major", 1}, {"string", "1.0.0"}}}, {"nvbench", {{"string", "0.2.0"}}}}}}},
      {"devices", Json::array({{{"id", 0}, {"name", "NVIDIA H200"}, {"sm_version", 900}}})},
      {"benchmarks", Json::array({{{"name", "flash"}, {"states", Json::array({state(64), state(128)})}}})}};
}

Json& first_state(Json& whole) {
  return whole["benchmarks"][0]["states"][0];
}

class Nvbench : public test_support::ImportFixture {
 protected:
  /// Little-endian floats, as nvbench writes them.
  void write_samples(const std::string& name, const std::vector<float>& seconds) const {
    std::string bytes;
    for (const float second : seconds) {
      const auto word = std::bit_cast<std::uint32_t>(second);
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xFFU);
    }
    write(name, bytes);
  }
};

TEST_F(Nvbench, StatesBecomePointsWithTheirAxes) {
  const ImportedFile imported = import(document().dump());
  EXPECT_EQ(imported.format, ImportFormat::nvbench);
  EXPECT_EQ(imported.tool, "nvbench 0.2.0");
  ASSERT_EQ(imported.points.size(), 2U);
  const Measurement& point = imported.points[1];
  EXPECT_EQ(point.kernel, "flash");
  EXPECT_EQ(point.parameters, (Configuration{{"BLOCK_M", 128}, {"LAYOUT", "rows"}, {"RATE", "0.5"}}));
  EXPECT_EQ(point.device, (DeviceIdentity{"NVIDIA H200", "sm_90", true}));
  EXPECT_EQ(point.shape.Sq, 512);
  EXPECT_FALSE(point.resources || point.occupancy || point.error || point.counters);
}

TEST_F(Nvbench, WithoutSamplesTheMeanIsSaidToBeOne) {
  const Measurement point = import(document().dump()).points.at(0);
  EXPECT_EQ(point.latency->kind, LatencyKind::recorded);
  EXPECT_DOUBLE_EQ(point.latency->p50_us, 42.5);
  EXPECT_TRUE(std::isnan(point.latency->p10_us));
  EXPECT_EQ(point.latency->samples, 200);
  EXPECT_FALSE(point.latency->l2_cold);
  EXPECT_TRUE(has_note(point, "the mean stands in the place of the median"));
  EXPECT_TRUE(has_note(point, "L2 is cleared before every launch"));
  EXPECT_TRUE(has_note(point, "35.0"));
}

TEST_F(Nvbench, TheMedianOfNewerVersionsIsTaken) {
  Json whole = document();
  first_state(whole)["summaries"].push_back(summary("nv/cold/time/gpu/median", "4.1e-05"));
  const Measurement point = import(whole.dump()).points.at(0);
  EXPECT_DOUBLE_EQ(point.latency->p50_us, 41);
  ASSERT_TRUE(point.latency->l2_cold);
  EXPECT_TRUE(std::isnan(point.latency->l2_cold->p90_us));
  EXPECT_DOUBLE_EQ(point.latency->l2_cold->sm_clock_mhz, 1980);
}

TEST_F(Nvbench, SamplesAreReadFromTheFileBeside) {
  Json whole = document();
  first_state(whole)["summaries"].push_back(samples_summary("file-bin/0.bin", 5));
  write_samples("file-bin/0.bin", {40e-6F, 42e-6F, 41e-6F, 44e-6F, 43e-6F});
  const Measurement point = import(whole.dump()).points.at(0);
  EXPECT_NEAR(point.latency->p50_us, 42, 1e-4);
  EXPECT_NEAR(point.latency->p10_us, 40.4, 1e-4);
  EXPECT_NEAR(point.latency->p90_us, 43.6, 1e-4);
  EXPECT_EQ(point.latency->samples, 5);
  ASSERT_TRUE(point.latency->l2_cold);
  EXPECT_NEAR(point.latency->l2_cold->stddev_us, 1.5811, 1e-3);
  EXPECT_EQ(point.latency->series, "l2_cold");
}

TEST_F(Nvbench, SamplesThatAreNotThereOrOfAnotherNumberAreSaid) {
  Json whole = document();
  first_state(whole)["summaries"].push_back(samples_summary("elsewhere/file-bin/0.bin", 5));
  EXPECT_TRUE(has_note(import(whole.dump()).points.at(0), "0.bin is not beside the file"));
  write_samples("file-bin/0.bin", {40e-6F, 42e-6F});
  const Measurement fewer = import(whole.dump()).points.at(0);
  EXPECT_TRUE(has_note(fewer, "holds 2, where the file says 5"));
  EXPECT_DOUBLE_EQ(fewer.latency->p50_us, 42.5);
  write_samples("file-bin/0.bin", {40e-6F, 42e-6F, -1, 1, 1});
  EXPECT_TRUE(has_note(import(whole.dump()).points.at(0), "not positive"));
}

TEST_F(Nvbench, SkippedStatesAreLeftOutWithTheReason) {
  Json whole = document();
  first_state(whole)["is_skipped"] = true;
  first_state(whole)["skip_reason"] = "too much memory";
  whole["benchmarks"][0]["states"][1]["summaries"] = Json::array();
  const ImportedFile imported = import(whole.dump());
  EXPECT_TRUE(imported.points.empty());
  ASSERT_EQ(imported.left_out.size(), 2U);
  EXPECT_EQ(imported.left_out[0], "flash Device=0 BLOCK_M=64: nvbench skipped it: too much memory");
  EXPECT_CONTAINS(imported.left_out[1], "no time of the GPU");
}

TEST_F(Nvbench, TimesThatAreNotPositiveAreRefusedWithTheField) {
  for (const char* time : {"-4.25e-05", "0", "nan", "inf", "-inf"}) {
    Json whole = document();
    first_state(whole)["summaries"][1]["data"][0]["value"] = time;
    EXPECT_CONTAINS(
        complaint(whole.dump()),
        "/benchmarks/0/states/0/summaries/nv/cold/time/gpu/mean: expected a number that is more than 0");
    whole = document();
    first_state(whole)["summaries"].push_back(summary("nv/cold/time/gpu/median", time));
    EXPECT_CONTAINS(complaint(whole.dump()),
                    "nv/cold/time/gpu/median: expected a number that is more than 0");
  }
  for (const char* text : {"1e400", "12,5", "", "0x10", "4.25e-05s", "fast"}) {
    Json whole = document();
    first_state(whole)["summaries"][1]["data"][0]["value"] = text;
    EXPECT_CONTAINS(complaint(whole.dump()), "'" + std::string(text) + "' is not a number");
  }
}

TEST_F(Nvbench, FiguresThatContradictEachOtherAreRefused) {
  Json whole = document();
  first_state(whole)["summaries"].push_back(summary("nv/cold/time/gpu/q1", "5e-05"));
  first_state(whole)["summaries"].push_back(summary("nv/cold/time/gpu/q3", "4e-05"));
  EXPECT_CONTAINS(complaint(whole.dump()), "do not rise");
  whole = document();
  first_state(whole)["summaries"].push_back(summary("nv/cold/time/gpu/min", "5e-05"));
  EXPECT_CONTAINS(complaint(whole.dump()), "the mean is not between min and max");
  whole = document();
  first_state(whole)["summaries"][0]["data"][0]["value"] = "-200";
  EXPECT_CONTAINS(complaint(whole.dump()), "nv/cold/sample_size: expected a whole number from 0");
}

TEST_F(Nvbench, AFileThatIsCutOffOrHasAMark) {
  const std::string text = document().dump();
  for (const std::size_t size : {text.size() - 1, text.size() - 5, text.size() / 2 + 100})
    EXPECT_CONTAINS(complaint(text.substr(0, size)), "invalid JSON at line 1");
  EXPECT_EQ(import("\xef\xbb\xbf" + text).points.size(), 2U);
}

TEST_F(Nvbench, ErrorsNameTheField) {
  Json whole = document();
  first_state(whole)["device"] = 3;
  EXPECT_CONTAINS(complaint(whole.dump()), "/benchmarks/0/states/0/device: there is no device 3");
  whole = document();
  first_state(whole)["summaries"][1]["data"][0]["value"] = "fast";
  EXPECT_CONTAINS(complaint(whole.dump()), "'fast' is not a number");
  whole = document();
  whole["meta"]["version"]["json"]["major"] = 2;
  EXPECT_CONTAINS(complaint(whole.dump()), "the file has format 2");
  whole.erase("meta");
  EXPECT_CONTAINS(complaint(whole.dump()), "/meta/version/json: is missing");
  options_.sizes.reset();
  EXPECT_CONTAINS(complaint(document().dump()), "does not say the shape (B, H, D): give --shape");
}

}  // namespace
}  // namespace tilescope
