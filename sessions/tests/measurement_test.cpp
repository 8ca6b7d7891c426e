#include "sessions/measurement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json_reader.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

Measurement round_trip(const Measurement& point) {
  return Json::parse(to_line(Json(point))).get<Measurement>();
}

TEST(MeasurementJson, RoundTripKeepsEveryField) {
  const Measurement point = sample::full_measurement();
  EXPECT_EQ(round_trip(point), point);
}

TEST(MeasurementJson, FieldsThatDoNotApplyAreThereAndNull) {
  const Measurement lost = failed_measurement({"flash_scalar", {{"BLOCK_M", 64}}, {}, "", 3, 0.5},
                                              Status::worker_lost, "the worker ended with signal 11");
  const Json json = lost;
  for (const char* field :
       {"resources", "occupancy", "error", "latency", "prediction", "counters", "memory", "diagnoses"}) {
    ASSERT_TRUE(json.contains(field)) << field;
    EXPECT_TRUE(json[field].is_null()) << field;
  }
  EXPECT_TRUE(json["device"]["name"].is_null());
  EXPECT_TRUE(json["provenance"]["sm_clock_mhz"].is_null());
  EXPECT_EQ(round_trip(lost), lost);
}

TEST(MeasurementJson, NonFiniteNumbersAreNullAndReadAsNan) {
  Measurement point = sample::full_measurement();
  point.status = Status::wrong_result;
  point.error->max_abs = std::numeric_limits<double>::quiet_NaN();
  point.error->max_rel = std::numeric_limits<double>::infinity();
  const std::string text = to_line(Json(point));
  EXPECT_NE(text.find(R"("max_abs":null,"max_rel":null)"), std::string::npos) << text;
  const Measurement read = Json::parse(text).get<Measurement>();
  EXPECT_TRUE(std::isnan(read.error->max_abs));
  EXPECT_TRUE(std::isnan(read.error->max_rel));
}

TEST(MeasurementJson, APointOfFiguresThatJsonCannotHoldIsKept) {
  const Measurement read = round_trip(sample::measurement_of_nan());
  EXPECT_TRUE(std::isnan(read.latency->p50_us));
  EXPECT_TRUE(std::isnan(read.latency->l2_warm->max_us));
  EXPECT_TRUE(std::isnan(read.prediction->parts[0].microseconds));
  EXPECT_TRUE(std::isnan(read.counters->begin()->second));
  EXPECT_FALSE(read.prediction->roofline_us.has_value());
  EXPECT_FALSE(read.occupancy->tail_fraction.has_value());
}

TEST(MeasurementJson, WhatIsBeyondTheContractMayBeMissing) {
  Json json = sample::full_measurement();
  for (const char* pointer : {"/occupancy/tail_fraction", "/occupancy/grid_blocks", "/error/rows_checked",
                              "/error/rows_total", "/latency/l2_warm", "/latency/l2_cold", "/notes"}) {
    const Json::json_pointer place(pointer);
    json[place.parent_pointer()].erase(place.back());
  }
  const auto point = json.get<Measurement>();
  EXPECT_FALSE(point.occupancy->tail_fraction || point.occupancy->grid_blocks);
  EXPECT_FALSE(point.error->rows_checked || point.error->rows_total);
  EXPECT_FALSE(point.latency->l2_warm || point.latency->l2_cold);
  EXPECT_TRUE(Json(point)["error"]["rows_total"].is_null()) << "not 0";
}

TEST(MeasurementJson, APredictionIsNoKindOfLatency) {
  Json json = sample::full_measurement();
  json["latency"]["kind"] = "predicted";
  EXPECT_THROW(json.get<Measurement>(), DocumentError);
}

TEST(MeasurementJson, NoDiagnosisIsNotTheSameAsNoneMade) {
  Measurement point = sample::full_measurement();
  point.diagnoses.emplace();
  EXPECT_EQ(Json(point)["diagnoses"], Json::array());
  EXPECT_EQ(round_trip(point), point);
  point.diagnoses.reset();
  EXPECT_TRUE(Json(point)["diagnoses"].is_null());
  EXPECT_EQ(round_trip(point), point);
}

TEST(MeasurementJson, TriesAreWrittenWhereThereAreSomeAndNullWhereTheyWereNotTried) {
  Measurement point = sample::full_measurement();
  const Json tries = Json(point)["tries"];
  ASSERT_EQ(tries.size(), 4U);
  EXPECT_EQ(tries[0]["p50_us"], 41.5);
  EXPECT_TRUE(tries[1]["p50_us"].is_null());
  EXPECT_EQ(tries[1]["status"], "compile_failed");
  EXPECT_EQ(tries[2]["same_code"], true);
  EXPECT_TRUE(tries[3]["status"].is_null());
  EXPECT_EQ(round_trip(point), point);
  point.tries.clear();
  EXPECT_FALSE(Json(point).contains("tries")) << "older sessions stay as they are";
  EXPECT_EQ(round_trip(point), point);
}

TEST(MeasurementJson, AKernelOfAFileHasArgumentsInPlaceOfAShape) {
  Measurement point = sample::full_measurement();
  EXPECT_FALSE(Json(point).contains("arguments")) << "older sessions stay as they are";
  EXPECT_EQ(problem_words(point), to_string(point.shape));
  point.shape = {};
  point.arguments =
      Configuration{{"N", std::int64_t{4096}}, {"alpha", "0.5"}, {"x: elements", std::int64_t{8192}}};
  Json json = point;
  EXPECT_TRUE(json["shape"].is_null());
  EXPECT_EQ(json["arguments"]["N"], 4096);
  EXPECT_EQ(round_trip(point), point);
  EXPECT_EQ(problem_words(point), "N=4096 alpha=0.5");
  point.arguments = Configuration{{elements_argument("x"), std::int64_t{8192}}};
  EXPECT_EQ(problem_words(point), "x: elements 8192");
  json["shape"] = Shape{};
  EXPECT_THROW(json.get<Measurement>(), DocumentError) << "a shape beside arguments";
}

TEST(MeasurementJson, WholeNumbersMayBeWrittenWithAPoint) {
  Json json = sample::full_measurement();
  json["resources"]["registers"] = 72.0;
  json["parameters"]["BLOCK_M"] = 64.0;
  json["provenance"]["seed"] = 77.0;
  EXPECT_EQ(json.get<Measurement>(), sample::full_measurement());
  for (const double number : {72.5, 1e19, -1e19}) {
    json["resources"]["registers"] = number;
    EXPECT_THROW(json.get<Measurement>(), DocumentError) << number;
  }
}

TEST(MeasurementJson, BytesThatAreNotUtf8DoNotLoseThePoint) {
  Measurement point = sample::full_measurement();
  point.compiler_log = "before\xFF\xFE after";
  const Measurement read = round_trip(point);
  EXPECT_EQ(read.compiler_log, "before\xEF\xBF\xBD\xEF\xBF\xBD after");
}

TEST(MeasurementJson, EveryMissingFieldOfTheContractIsNamed) {
  const Json whole = sample::full_measurement();
  for (const char* field :
       {"status", "reason", "kernel", "parameters", "shape", "device", "resources", "occupancy", "error",
        "latency", "prediction", "counters", "memory", "findings", "diagnoses", "provenance"}) {
    Json cut = whole;
    cut.erase(field);
    try {
      cut.get<Measurement>();
      ADD_FAILURE() << "accepted without " << field;
    } catch (const DocumentError& error) {
      EXPECT_EQ(error.place(), std::string("/") + field);
      EXPECT_EQ(error.reason(), "is missing");
    }
  }
}

TEST(MeasurementJson, EveryFieldOfAnotherTypeIsRefusedWithItsPlace) {
  const Json whole = sample::full_measurement();
  const Json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    Json broken = whole;
    broken[Json::json_pointer(pointer)] = Json::array({Json::object()});
    try {
      broken.get<Measurement>();
      ADD_FAILURE() << "accepted a list at " << pointer;
    } catch (const DocumentError& error) {
      EXPECT_EQ(error.place(), pointer);
    }
  }
}

TEST(MemoryCountsJson, WhatOlderDocumentsDoNotHaveStaysEmpty) {
  const Json json =
      Json::parse(R"({"kind": "measured", "counted_from": null, "blocks_run": 4, "blocks_total": 128,
      "shared_instructions": 10, "shared_wavefronts": 40, "shared_wavefronts_minimum": 20, "shared_conflicts": 20,
      "global_requests": null, "global_sectors": null, "global_sectors_minimum": null,
      "sites": [{"line": 3, "operation": "ld.shared", "width_bytes": 4, "tile": null, "executions": 1,
                 "wavefronts": 2, "minimum": 1, "conflicts": 1, "worst_degree": 2}]})");
  const auto counts = json.get<MemoryCounts>();
  EXPECT_EQ(counts.kind, CountKind::measured);
  EXPECT_EQ(counts.shared_wavefronts, 40);
  ASSERT_EQ(counts.sites.size(), 1U);
  EXPECT_EQ(counts.sites[0].tile, "");
  EXPECT_TRUE(counts.sites[0].degrees.empty());
  EXPECT_TRUE(counts.instructions.empty());
}

TEST(MemoryCountsJson, ADegreeIsANumber) {
  for (const char* degree : {"", "x", "2x", "0", "-1", "99999999999999999999"}) {
    Json json = sample::full_counts();
    json["sites"][0]["degrees"] = Json{{degree, 1}};
    try {
      json.get<MemoryCounts>();
      ADD_FAILURE() << "accepted the degree '" << degree << "'";
    } catch (const DocumentError& error) {
      EXPECT_EQ(error.place(), std::string("/sites/0/degrees/") + degree);
    }
  }
}

TEST(Names, RoundTripAndRefuse) {
  for (int index = 0; index <= static_cast<int>(Status::cancelled); ++index) {
    const auto status = static_cast<Status>(index);
    EXPECT_EQ(status_from(to_string(status)), status);
  }
  for (const Limiter limiter :
       {Limiter::registers, Limiter::shared_memory, Limiter::warps, Limiter::blocks}) {
    EXPECT_EQ(limiter_from(to_string(limiter)), limiter);
  }
  EXPECT_THROW(status_from("fine"), std::invalid_argument);
  EXPECT_THROW(limiter_from(""), std::invalid_argument);
  EXPECT_THROW(latency_kind_from("guessed"), std::invalid_argument);
  for (const Severity severity : {Severity::fault, Severity::cost, Severity::hint}) {
    EXPECT_EQ(severity_from(to_string(severity)), severity);
  }
  EXPECT_THROW(severity_from("disaster"), std::invalid_argument);
}

TEST(ExperimentOf, RepeatsThePoint) {
  const Measurement point = sample::full_measurement();
  const Experiment experiment = experiment_of(point);
  EXPECT_EQ(experiment.parameters, point.parameters);
  EXPECT_EQ(experiment.shape, point.shape);
  EXPECT_EQ(experiment.device, "L4");
  EXPECT_EQ(experiment.seed, 77u);
  EXPECT_EQ(experiment.compiler, KernelCompiler::nvrtc);
}

TEST(ProvenanceJson, SaysWhichCompilerMadeThePoint) {
  Measurement point = sample::full_measurement();
  EXPECT_EQ(compiler_words(point.provenance), "NVRTC 13.0");
  point.provenance.compiler = KernelCompiler::nvcc;
  point.provenance.nvrtc_version = "";
  EXPECT_EQ(compiler_words(point.provenance), "nvcc");
  point.provenance.nvcc_version = "13.0";
  EXPECT_EQ(compiler_words(point.provenance), "nvcc 13.0");
  const Json json = point;
  EXPECT_EQ(json["provenance"]["compiler"], "nvcc");
  EXPECT_EQ(json["provenance"]["nvcc_version"], "13.0");
  EXPECT_TRUE(json["provenance"]["nvrtc_version"].is_null());
  EXPECT_EQ(json.get<Measurement>(), point);
  EXPECT_EQ(experiment_of(point).compiler, KernelCompiler::nvcc);
}

TEST(ProvenanceJson, AnOlderPointWasCompiledByNvrtc) {
  Json json = sample::full_measurement();
  json["provenance"].erase("compiler");
  json["provenance"].erase("nvcc_version");
  EXPECT_EQ(json.get<Measurement>(), sample::full_measurement());
}

TEST(FailedMeasurement, SaysWhichCompilerWasAskedFor) {
  Experiment experiment;
  experiment.compiler = KernelCompiler::nvcc;
  EXPECT_EQ(failed_measurement(experiment, Status::unsupported, "").provenance.compiler,
            KernelCompiler::nvcc);
}

}  // namespace
}  // namespace tilescope
