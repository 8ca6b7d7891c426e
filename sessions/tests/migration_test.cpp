#include "sessions/migration.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/json.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// The first point of the fixture of version 1 with another latency, as it is after loading.
Measurement migrated_with(const char* latency) {
  std::ifstream input(fs::path(TILESCOPE_SOURCE_DIR) / "sessions/tests/fixtures/version_1.json");
  Json document = Json::parse(input);
  document["points"][0]["latency"] = Json::parse(latency);
  return *parse_session(to_line(document), "version_1.json").points.at(0);
}

TEST(SessionFormat, FixturesOfEveryVersionLoad) {
  for (int version = 1; version <= session_format_version; ++version) {
    const fs::path file = fs::path(TILESCOPE_SOURCE_DIR) / "sessions" / "tests" / "fixtures" /
                          ("version_" + std::to_string(version) + ".json");
    const Session session = load_session(file);
    ASSERT_EQ(session.points.size(), 2u) << file;
    EXPECT_EQ(session.points[0]->status, Status::ok);
    EXPECT_DOUBLE_EQ(session.points[0]->latency->p50_us, 30.4);
    EXPECT_EQ(session.points[0]->parameters.at("SMEM_LAYOUT"), ParameterValue("xor_swizzle"));
    EXPECT_EQ(session.points[1]->status, Status::invalid_configuration);
    EXPECT_EQ(session.sources.size(), 1u);
    EXPECT_EQ(session.points[0]->memory->kind, CountKind::counted);
    EXPECT_EQ(session.points[0]->memory->counted_from, CountedFrom::ptx);
    EXPECT_FALSE(session.points[1]->prediction || session.points[1]->counters ||
                 session.points[1]->diagnoses);
  }
}

TEST(Migration, SourcesOfVersion2HaveNoHashedHeaders) {
  const fs::path fixtures = fs::path(TILESCOPE_SOURCE_DIR) / "sessions" / "tests" / "fixtures";
  EXPECT_TRUE(load_session(fixtures / "version_2.json").sources.begin()->second.hashed_headers.empty());
  const Session now = load_session(fixtures / "version_3.json");
  EXPECT_EQ(now.sources.begin()->second.hashed_headers.at("../common.cuh"), std::string(64, 'c'));
}

TEST(Migration, APredictedLatencyBecomesThePrediction) {
  const Measurement point = migrated_with(R"({"kind": "predicted", "p50_us": 20, "low_us": 15, "high_us": 30,
      "parts": [{"name": "tensor cores", "microseconds": 12.5}, {"name": "shared memory", "microseconds": 7.5}]})");
  EXPECT_FALSE(point.latency.has_value());
  ASSERT_TRUE(point.prediction.has_value());
  const Prediction expected{
      20, 15, 30, std::nullopt, "", "", {{"tensor cores", 12.5}, {"shared memory", 7.5}}};
  EXPECT_EQ(*point.prediction, expected);
}

TEST(Migration, PartsByNameBecomeAList) {
  const Measurement point = migrated_with(R"({"kind": "predicted", "p50_us": 20, "low_us": 15, "high_us": 30,
      "parts": {"tensor cores": 12.5, "unknown": null}})");
  EXPECT_EQ(point.prediction->parts, (std::vector<PredictionPart>{{"tensor cores", 12.5}}));
}

TEST(Migration, ThePercentilesOfAPredictionAreItsBand) {
  const Measurement point = migrated_with(R"({"kind": "predicted", "p10_us": 15, "p50_us": 20, "p90_us": 30,
      "samples": 0, "tflops": 1, "l2_warm": null, "l2_cold": null})");
  ASSERT_TRUE(point.prediction.has_value());
  EXPECT_EQ(*point.prediction, (Prediction{20, 15, 30, std::nullopt, "", "", {}}));
}

TEST(Migration, AMeasuredLatencyStays) {
  const Measurement point = migrated_with(
      R"({"kind": "measured", "p10_us": 15, "p50_us": 20, "p90_us": 30, "samples": 9, "tflops": 1})");
  EXPECT_FALSE(point.prediction.has_value());
  ASSERT_TRUE(point.latency.has_value());
  EXPECT_EQ(point.latency->samples, 9);
}

TEST(Migration, WhatIsNoPointIsLeftToTheReader) {
  const auto complaint = [](const char* points) {
    const Json document{{"format", "tilescope-session"},
                        {"version", 1},
                        {"title", ""},
                        {"created_utc", ""},
                        {"tilescope_version", ""},
                        {"sources", Json::object()},
                        {"points", Json::parse(points)}};
    try {
      parse_session(to_line(document), "broken.json");
    } catch (const SessionError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(complaint("{}").find("/points: expected a list"), std::string::npos) << complaint("{}");
  EXPECT_NE(complaint("[7]").find("/points/0: expected an object"), std::string::npos) << complaint("[7]");
  EXPECT_NE(complaint("[{}]").find("/points/0/status: is missing"), std::string::npos) << complaint("[{}]");
}

TEST(Migration, TakesADocumentThroughEveryLaterStep) {
  const Migration steps[] = {[](Json document) {
                               document["trace"] = "1-2";
                               return document;
                             },
                             [](Json document) {
                               document["trace"] = document.value("trace", "") + " 2-3";
                               return document;
                             }};
  EXPECT_EQ(migrated(Json::object(), 1, steps)["trace"], "1-2 2-3");
  EXPECT_EQ(migrated(Json::object(), 2, steps)["trace"], " 2-3");
  EXPECT_FALSE(migrated(Json::object(), 3, steps).contains("trace"));
  EXPECT_EQ(session_migrations().size(), static_cast<std::size_t>(session_format_version - 1));
}

TEST(Migration, AFailingStepSaysWhichItWas) {
  const Migration steps[] = {[](Json) -> Json { throw std::runtime_error("no shape"); }};
  try {
    migrated(Json::object(), 1, steps);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "migrating from format 1: no shape");
  }
}

}  // namespace
}  // namespace tilescope
