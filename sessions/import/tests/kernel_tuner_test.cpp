#include <cmath>

#include "sessions/import/tests/import_fixture.hpp"

namespace tilescope {
namespace {

class KernelTuner : public test_support::ImportFixture {};

const std::string head =
    "{\n\"device_name\": \"NVIDIA A100-PCIE-40GB\",\n\"kernel_name\": \"attention\",\n\"problem_size\": "
    "[\n512,\n8\n],\n"
    "\"tune_params_keys\": [\n\"block_size_x\",\n\"layout\",\n\"causal\"\n],\n\"tune_params\": "
    "{\n\"block_size_x\": "
    "[\n64,\n128\n],\n\"layout\": [\n\"rows\"\n],\n\"causal\": [\nfalse\n]\n},\n\"objective\": "
    "\"time\",\n\"cache\": {";
const std::string timed =
    "\n\"64,rows,False\": {\"block_size_x\": 64, \"layout\": \"rows\", \"causal\": false, \"time\": 0.05, "
    "\"times\": [0.052, "
    "0.05, 0.049, 0.05, 0.051], \"compile_time\": 918.5, \"timestamp\": \"2025-12-22 "
    "09:54:05.502007+00:00\"}";
const std::string failed =
    "\n\"128,rows,False\": {\"block_size_x\": 128, \"layout\": \"rows\", \"causal\": false, \"time\": "
    "\"CompilationFailedConfig\", \"compile_time\": 5.5}";

TEST_F(KernelTuner, EntriesBecomePoints) {
  const ImportedFile imported = import(head + timed + "," + failed + "}\n}");
  EXPECT_EQ(imported.format, ImportFormat::kernel_tuner);
  EXPECT_TRUE(imported.left_out.empty());
  ASSERT_EQ(imported.points.size(), 2U);
  const Measurement& point = imported.points[0];
  EXPECT_EQ(point.kernel, "attention");
  EXPECT_EQ(point.device.name, "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(point.parameters, (Configuration{{"block_size_x", 64}, {"layout", "rows"}}));
  EXPECT_FALSE(point.shape.causal);
  EXPECT_EQ(point.latency->kind, LatencyKind::recorded);
  EXPECT_DOUBLE_EQ(point.latency->p50_us, 50);
  EXPECT_NEAR(point.latency->p90_us, 51.6, 1e-9);
  EXPECT_EQ(point.latency->samples, 5);
  EXPECT_NEAR(point.latency->tflops, attention_flops(point.shape) / 50e-6 * 1e-12, 1e-9);
  EXPECT_EQ(point.provenance.time_utc, "2025-12-22T09:54:05Z");
  EXPECT_DOUBLE_EQ(point.provenance.compile_ms, 918.5);
  EXPECT_TRUE(has_note(point, "problem size: [512,8]"));
  const Measurement& bad = imported.points[1];
  EXPECT_EQ(bad.status, Status::compile_failed);
  EXPECT_EQ(bad.reason, "Kernel Tuner recorded CompilationFailedConfig");
  EXPECT_FALSE(bad.latency);
}

TEST_F(KernelTuner, AFileThatWasLeftOpenIsClosed) {
  const std::vector<std::string> ends{",", "", "}\n", ",\n"};
  for (const std::string& end : ends) {
    const ImportedFile imported = import(head + timed + "," + failed + end);
    EXPECT_EQ(imported.points.size(), 2U) << end;
    EXPECT_TRUE(imported.left_out.empty());
  }
}

TEST_F(KernelTuner, AnEntryThatWasNotWrittenToItsEndIsLeftOut) {
  const ImportedFile imported = import(head + timed + "," + failed.substr(0, 60));
  EXPECT_EQ(imported.points.size(), 1U);
  ASSERT_EQ(imported.left_out.size(), 1U);
  EXPECT_CONTAINS(imported.left_out[0], "the file ends within it");
}

TEST_F(KernelTuner, WithoutTimesTheMeanIsSaidToBeOne) {
  const std::string entry =
      "\n\"1,r,0\": {\"block_size_x\": 1, \"layout\": \"r\", \"causal\": 0, \"time\": 0.25}";
  const Measurement point = import(head + entry + "}}").points.at(0);
  EXPECT_DOUBLE_EQ(point.latency->p50_us, 250);
  EXPECT_EQ(point.latency->samples, 0);
  EXPECT_TRUE(std::isnan(point.latency->p90_us));
  EXPECT_TRUE(has_note(point, "its mean stands in the place of the median"));
}

/// An entry with these members behind its parameters.
std::string entry_with(const std::string& members) {
  return head + "\n\"1,r,0\": {\"block_size_x\": 1, \"layout\": \"r\", \"causal\": 0, " + members + "}}}";
}

TEST_F(KernelTuner, AnyWordOfFailureIsAFailedConfiguration) {
  for (const auto& [word, status] : {std::pair{"SomeOtherFailure", Status::launch_failed},
                                     {"CompilationTimeoutConfig", Status::compile_failed},
                                     {"RuntimeTimeout", Status::timed_out},
                                     {"InvalidRestriction", Status::invalid_configuration},
                                     {"VerificationFailedConfig", Status::wrong_result},
                                     {"out of memory", Status::launch_failed}}) {
    const ImportedFile imported = import(
        head + timed + ",\n\"2\": {\"block_size_x\": 2, \"layout\": \"r\", \"causal\": false, \"time\": \"" +
        word + "\"}}}");
    ASSERT_EQ(imported.points.size(), 2U);
    EXPECT_EQ(imported.points[0].status, Status::ok);
    EXPECT_EQ(imported.points[1].status, status) << word;
    EXPECT_EQ(imported.points[1].reason, "Kernel Tuner recorded " + std::string(word));
    EXPECT_FALSE(imported.points[1].latency);
  }
  EXPECT_EQ(import(entry_with("\"time\": 1e20")).points.at(0).status, Status::launch_failed)
      << "older versions";
}

TEST_F(KernelTuner, WhatIsNoTimeIsRefusedWithTheEntry) {
  for (const char* time :
       {"-5", "0", "0.0", "-0.0", "null", "\"1.5\"", "\"\"", "\"nan\"", "\"inf\"", "true", "[1]"})
    EXPECT_CONTAINS(complaint(entry_with("\"time\": " + std::string(time))), "/cache/1,r,0/time: ") << time;
  for (const char* time : {"NaN", "Infinity", "1e400", "0x10", "1.", "12"})
    EXPECT_NE(complaint(entry_with("\"time\": 1, \"x\": [" + std::string(time))), "") << time;
  EXPECT_CONTAINS(complaint(entry_with("\"time\": 1, \"times\": [1, -1]")),
                  "/cache/1,r,0/times: a time is not positive");
  EXPECT_CONTAINS(complaint(entry_with("\"time\": 1, \"compile_time\": -1")), "compile_time: is negative");
}

TEST_F(KernelTuner, OwnFiguresMustRise) {
  const auto figures = [](const std::string& p10, const std::string& p50, const std::string& p90) {
    return entry_with("\"time\": 1, \"tilescope\": {\"p10_us\": " + p10 + ", \"p50_us\": " + p50 +
                      ", \"p90_us\": " + p90 + "}");
  };
  EXPECT_EQ(complaint(figures("1", "2", "3")), "");
  EXPECT_EQ(complaint(figures("null", "2", "null")), "");
  EXPECT_CONTAINS(complaint(figures("3", "2", "4")), "tilescope/p10_us: is larger than p50_us");
  EXPECT_CONTAINS(complaint(figures("1", "2", "1.5")), "tilescope/p90_us: is smaller than p50_us");
  EXPECT_CONTAINS(complaint(figures("-1", "2", "3")), "tilescope/p10_us: ");
  EXPECT_CONTAINS(complaint(figures("0", "0", "0")), "tilescope/p50_us: ");
}

TEST_F(KernelTuner, AMarkIsSkippedAndANumberThatIsCutOffIsNotTaken) {
  EXPECT_EQ(import("\xef\xbb\xbf" + head + timed + "}}").points.size(), 1U);
  const std::string line =
      head + timed + ",\n\"2\": {\"block_size_x\": 2, \"layout\": \"r\", \"causal\": false, \"time\": 12";
  const ImportedFile imported = import(line);
  EXPECT_EQ(imported.points.size(), 1U);
  EXPECT_EQ(imported.left_out.size(), 1U);
}

TEST_F(KernelTuner, ErrorsNameTheFieldAndTheEntry) {
  const std::string entry = "\n\"1,r,0\": {\"block_size_x\": 1, \"layout\": \"r\", \"time\": 0.25}";
  EXPECT_CONTAINS(complaint(head + entry + "}}"), "/cache/1,r,0/causal: is missing");
  const std::string odd =
      "\n\"1,r,0\": {\"block_size_x\": 1, \"layout\": \"r\", \"causal\": 0, \"time\": 1, \"times\": [\"a\"]}";
  EXPECT_CONTAINS(complaint(head + odd + "}}"), "/cache/1,r,0/times: expected a number");
  EXPECT_CONTAINS(complaint("{\"tune_params_keys\": [}, \"cache\""), "invalid JSON");
}

}  // namespace
}  // namespace tilescope
