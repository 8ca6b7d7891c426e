#include "sessions/reports/kernel_tuner_export.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/json.hpp"
#include "sessions/import/import.hpp"
#include "sessions/reports/tests/report_points.hpp"

namespace tilescope {
namespace {

using test_support::add;
using test_support::report_point;

/// A session of one kernel: timed twice, once predicted, once failed, once of no interest.
Session tuned_session() {
  Session session;
  add(session, report_point("flash", 64, 40.5));
  add(session, report_point("flash", 128, 55));
  add(session, report_point("flash", 128, 50.25));
  add(session, test_support::predicted_report_point("flash", 32, 90));
  Measurement failed = report_point("flash", 256, 1);
  failed.latency.reset();
  failed.status = Status::compile_failed;
  failed.reason = "too many registers";
  add(session, failed);
  failed.parameters["BLOCK_M"] = 512;
  failed.status = Status::cancelled;
  add(session, failed);
  return session;
}

TEST(KernelTunerExport, HasWhatKernelTunerReads) {
  const KernelTunerCache cache = kernel_tuner_cache(tuned_session());
  const Json document = Json::parse(cache.text);
  for (const char* key : {"schema_version", "device_name", "kernel_name", "problem_size", "tune_params_keys",
                          "tune_params", "objective", "cache"})
    EXPECT_TRUE(document.contains(key)) << key;
  EXPECT_EQ(document["tune_params_keys"], Json({"BLOCK_M", "LAYOUT"}));
  EXPECT_EQ(document["tune_params"]["BLOCK_M"], Json({64, 128, 256}));
  EXPECT_EQ(cache.configurations, 3U);
  const Json& entry = document["cache"]["64,rows"];
  EXPECT_DOUBLE_EQ(entry["time"].get<double>(), 0.0405);
  EXPECT_EQ(entry["BLOCK_M"], 64);
  EXPECT_EQ(entry["timestamp"], "2025-11-02 14:03:59+00:00");
  for (const char* key :
       {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"})
    EXPECT_TRUE(entry[key].is_number()) << key;
  EXPECT_DOUBLE_EQ(document["cache"]["128,rows"]["time"].get<double>(), 0.05025);  // The newest.
  EXPECT_EQ(document["cache"]["256,rows"]["time"], "CompilationFailedConfig");
}

TEST(KernelTunerExport, IsClosedAsKernelTunerExpectsIt) {
  EXPECT_TRUE(kernel_tuner_cache(tuned_session()).text.ends_with("}\n}"));
}

TEST(KernelTunerExport, SaysWhatIsLeftOut) {
  EXPECT_EQ(kernel_tuner_cache(tuned_session()).left_out,
            (std::vector<std::string>{"1 point: Cancelled", "1 point: its latency is predicted, not timed",
                                      "1 point: an older point of a configuration that is in the file"}));
}

TEST(KernelTunerExport, HoldsOneKernelDeviceAndShape) {
  Session session = tuned_session();
  add(session, report_point("tiled", 64, 80));
  try {
    kernel_tuner_cache(session);
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("flash on L4, B1 H8 S512 D64 fp16; tiled on L4"), std::string::npos) << what;
    EXPECT_NE(what.find("--kernel, --device and --shape"), std::string::npos) << what;
  }
  EXPECT_THROW(kernel_tuner_cache({}), std::invalid_argument);
}

TEST(KernelTunerExport, ARoundTripKeepsKernelParametersShapeAndLatency) {
  std::string folder = (std::filesystem::temp_directory_path() / "tilescope-export-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "cache.json";
  Session session = tuned_session();
  Measurement odd = report_point("flash", 16, 70);
  odd.latency->p10_us = odd.latency->p90_us = std::numeric_limits<double>::quiet_NaN();
  add(session, odd);
  std::ofstream(file) << kernel_tuner_cache(session).text;
  const ImportedFile imported = import_file(file, {});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(imported.tool, "Tilescope, in a Kernel Tuner cache");
  ASSERT_EQ(imported.points.size(), 4U);
  const Measurement& point = imported.points[0];
  const Measurement& original = *session.points[0];
  EXPECT_EQ(point.kernel, original.kernel);
  EXPECT_EQ(point.parameters, original.parameters);
  EXPECT_EQ(point.shape, original.shape);
  EXPECT_EQ(point.device.name, "L4");
  EXPECT_EQ(point.latency->kind, LatencyKind::recorded);
  EXPECT_EQ(point.latency->p50_us, original.latency->p50_us);
  EXPECT_EQ(point.latency->p90_us, original.latency->p90_us);
  EXPECT_EQ(point.latency->samples, 100);
  EXPECT_EQ(point.provenance.time_utc, original.provenance.time_utc);
  EXPECT_EQ(imported.points[2].status, Status::compile_failed);
  EXPECT_TRUE(std::isnan(imported.points[3].latency->p10_us));
}

}  // namespace
}  // namespace tilescope
