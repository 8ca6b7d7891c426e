#include "sessions/views/points/point_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"
#include "sessions/views/code/compiler_log.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_details.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;

Measurement occupied_point(Limiter limiter) {
  Measurement point = make_point(8, "row");
  point.resources = Resources{128, 0, 57376, 0, 0, "abc"};
  point.occupancy = Occupancy{2, 16, 1.0 / 3, limiter, 1.5, 0.5, 128};
  return point;
}

TEST(PointText, TheCommandRepeatsThePoint) {
  Measurement point = make_point(8, "row");
  EXPECT_EQ(command_line(point, "tilescope"),
            "tilescope measure k --set LAYOUT=row --set M=8 --shape 1,8,512,64 --dtype fp16 --device L4");
  point.kernel = "my kernels/it's.cu";
  point.device.name = "RTX 4090";
  point.shape = {2, 8, 2, 512, 1024, 128, DataType::bf16, true};
  EXPECT_EQ(command_line(point, "tilescope"),
            "tilescope measure 'my kernels/it'\\''s.cu' --set LAYOUT=row --set M=8 --shape "
            "2,8/2,512x1024,128 --causal "
            "--dtype bf16 --device 'RTX 4090'");
}

TEST(PointText, TheCommandOfAFilesPointOpensTheFile) {
  Measurement point;
  point.kernel = "my gemm.cu:tiled";
  point.parameters = {{"TILE", std::int64_t{16}}, {"block", "16,16"}};
  point.arguments.emplace();
  point.device.name = "L4";
  point.provenance.compile_options = {"-DHALF=1", "--use_fast_math"};
  EXPECT_EQ(command_line(point, "tilescope"),
            "tilescope open 'my gemm.cu' --entry tiled --set TILE=16 --set block=16,16 -DHALF=1 "
            "--option=--use_fast_math --device L4");
  point.kernel = "my gemm.cu";
  point.parameters = {{"entry", "tiled<16>"}};
  point.provenance.compile_options.clear();
  EXPECT_EQ(command_line(point, "tilescope"), "tilescope open 'my gemm.cu' --entry 'tiled<16>' --device L4");
}

TEST(PointText, ACommandWithAnotherSeedNamesIt) {
  Measurement point = make_point(8, "row");
  point.provenance.seed = 7;
  EXPECT_NE(command_line(point, "tilescope").find(" --seed 7 "), std::string::npos);
}

TEST(PointText, APointOfNvccIsToldApart) {
  Measurement point = make_timed(8, "row", 1);
  const TextPair line{"compiler", "nvcc 13.0"};
  const auto has_line = [&](const std::vector<TextPair>& tooltip) {
    return std::ranges::find(tooltip, line) != tooltip.end();
  };
  EXPECT_EQ(command_line(point, "tilescope").find("--compiler"), std::string::npos);
  EXPECT_FALSE(has_line(latency_tooltip(point, false)));
  point.provenance.compiler = KernelCompiler::nvcc;
  point.provenance.nvcc_version = "13.0";
  EXPECT_TRUE(command_line(point, "tilescope").ends_with(" --compiler nvcc"));
  EXPECT_TRUE(has_line(latency_tooltip(point, false)));
  EXPECT_TRUE(has_line(occupancy_tooltip(point, false)));
}

TEST(PointText, AResultThatNobodyCheckedIsNotCalledRight) {
  Measurement point = make_point(8, "row");
  EXPECT_EQ(status_words(point), "Compiled, result not checked");
  point.error = Error{1e-4, 0, 1e-3, "gpu", 4, 8};
  EXPECT_EQ(status_words(point), "Correct");
}

TEST(PointText, AKernelOfAFileIsCorrectOnlyWithTheExpectedValues) {
  Measurement point = make_point(8, "row");
  point.arguments = {{"N", 64}};
  EXPECT_EQ(status_words(point), "Correct");
  EXPECT_EQ(status_label(point), "Correct");
  point.findings.emplace_back().kind = "wrong_value";
  EXPECT_EQ(status_words(point), "Incorrect result");
  EXPECT_EQ(status_label(point), "Incorrect result");
  point.findings.clear();
  point.status = Status::unchecked;
  EXPECT_EQ(status_words(point), "Executed, result not checked");
}

TEST(PointText, AnImportedPointSaysWhatIsNotKnown) {
  Measurement point = make_timed(8, "row", 40);
  point.device.name = "";
  point.latency->kind = LatencyKind::recorded;
  point.latency->p10_us = point.latency->p90_us = std::nan("");
  EXPECT_EQ(status_words(point), "Timed, result not checked");
  EXPECT_EQ(origin_words(point, false), "recorded on a device without a name");
  bool says_spread = false;
  for (const auto& [label, value] : latency_tooltip(point, false)) {
    if (label == "p10 to p90") says_spread = value == "not known";
  }
  EXPECT_TRUE(says_spread);
  EXPECT_EQ(cell_text(metric_of("spread"), point), "");
}

TEST(PointText, EveryFigureSaysWhereItIsFrom) {
  EXPECT_EQ(origin_words(make_timed(8, "row", 1), false), "measured on L4");
  EXPECT_EQ(origin_words(make_timed(8, "row", 1), true), "recorded on L4");
  EXPECT_EQ(origin_words(test_support::make_predicted(8, "row", 1), false), "predicted for L4");
  EXPECT_EQ(origin_words(test_support::make_predicted(8, "row", 1), true),
            "predicted for L4, of the recorded session");
  EXPECT_EQ(origin_words(occupied_point(Limiter::warps), false), "compiled for L4");
  EXPECT_EQ(origin_words(make_point(8, "row"), false), "for L4") << "it was not compiled";
}

TEST(PointText, AHeadingHasTheDay) {
  Measurement point = make_timed(8, "row", 1);
  EXPECT_EQ(origin_heading(point, false), "Measured on L4");
  point.provenance.time_utc = "2026-01-31T14:03:59Z";
  EXPECT_EQ(origin_heading(point, true), "Recorded on L4, 2026-01-31");
}

TEST(PointText, AFaultWhileAKernelRunsIsNotCalledALaunchThatFailed) {
  Measurement point = make_point(8, "row");
  point.status = Status::launch_failed;
  EXPECT_EQ(status_words(point), "Did not run to completion");
}

TEST(PointText, TheLimiterIsExplainedWithThePointsOwnNumbers) {
  EXPECT_EQ(
      limiter_sentence(occupied_point(Limiter::registers)),
      "Registers limit residency to 2 blocks per SM: 128 per thread, 256 threads per block. Fewer registers "
      "per thread or fewer warps per block allow more.");
  EXPECT_EQ(
      limiter_sentence(occupied_point(Limiter::shared_memory)),
      "Shared memory limits residency to 2 blocks per SM: 57,376 B per block. Smaller tiles allow more.");
  Measurement both = occupied_point(Limiter::shared_memory);
  both.occupancy->also_limited_by = {Limiter::registers};
  EXPECT_EQ(
      limiter_sentence(both),
      "Shared memory limits residency to 2 blocks per SM: 57,376 B per block. Smaller tiles allow more. "
      "Registers would allow no more either.");
  EXPECT_EQ(
      limiter_sentence(occupied_point(Limiter::warps)),
      "Warps limit residency to 2 blocks per SM: another block of 8 warps exceeds the SM's maximum. Smaller "
      "blocks fill it better.");
  EXPECT_EQ(
      limiter_sentence(occupied_point(Limiter::blocks)),
      "The block limit of the SM is reached: 2 blocks of 8 warps. More warps per block fill it better.");
  EXPECT_EQ(limiter_sentence(make_point(8, "row")), "");
}

// Whatever the limiter is called: points recorded before named registers or shared memory.
TEST(PointText, NothingLimitsAnSmThatIsFull) {
  Measurement point = occupied_point(Limiter::registers);
  point.occupancy->blocks_per_sm = 6;
  point.occupancy->warps_per_sm = 48;
  point.occupancy->fraction = 1;
  EXPECT_EQ(limiter_words(*point.occupancy), "SM full (warps)");
  EXPECT_EQ(value_words(metric_of("limiter"), point), "SM full (warps)");
  EXPECT_EQ(limiter_sentence(point), "The SM is full: 6 blocks of 8 warps are all that it holds.");
  std::map<std::string, std::string> tooltip;
  for (const auto& [label, value] : occupancy_tooltip(point, false)) tooltip[label] = value;
  EXPECT_EQ(tooltip["limiter"], "SM full (warps)");
}

TEST(PointText, NoResidentBlockIsSaidAndDividesNothing) {
  Measurement point = occupied_point(Limiter::shared_memory);
  point.occupancy->blocks_per_sm = 0;
  EXPECT_NE(limiter_sentence(point).find("No block fits"), std::string::npos);
}

TEST(PointText, AFailedPointsTooltipHasItsReason) {
  Measurement point = make_point(8, "row");
  point.status = Status::wrong_result;
  point.reason = "The largest error is 0.28.";
  const auto lines = latency_tooltip(point, false);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].second, "Incorrect result");
  EXPECT_EQ(lines[1].second, "The largest error is 0.28.");
}

TEST(PointText, ATooltipHasTheLatencyAndBesideItThePrediction) {
  Measurement point = make_timed(8, "row", 1);
  point.prediction = test_support::make_predicted(8, "row", 4).prediction;
  const auto lines = latency_tooltip(point, false);
  EXPECT_EQ(lines.at(0).second, "1.000 µs, measured on L4");
  EXPECT_EQ(lines.back(), (TextPair{"predicted for L4", "4.000 µs (3.000 to 6.000), +300.0 %"}));
}

TEST(PointDetails, WhatIsNotKnownIsNotShownAsZero) {
  Measurement point = occupied_point(Limiter::warps);
  point.error = Error{1e-4, 0, 1e-3, "gpu", {}, {}};
  point.occupancy->grid_blocks.reset();
  point.occupancy->tail_fraction.reset();
  for (const DetailSection& section : point_details(point, false)) {
    for (const DetailRow& row : section.rows) {
      EXPECT_TRUE(row.label != "Grid" && row.label != "Last wave" && row.label != "Rows checked")
          << row.value;
    }
  }
}

TEST(PointDetails, EveryMetricWithALabelHasARow) {
  const Measurement point = sample::full_measurement();
  std::map<std::string, std::string> values;
  for (const DetailSection& section : point_details(point, false)) {
    for (const DetailRow& row : section.rows) {
      EXPECT_TRUE(values.emplace(row.label, row.value).second) << "twice: " << row.label;
    }
  }
  for (const Metric& metric : all_metrics()) {
    if (metric.label.empty()) continue;
    EXPECT_EQ(values[metric.label], value_words(metric, point)) << metric.tag;
  }
  EXPECT_EQ(values["Registers"], "72 per thread");
  EXPECT_EQ(values["Limiter"], "shared memory and registers");
}

TEST(PointDetails, SpillsAreBad) {
  Measurement point = occupied_point(Limiter::warps);
  const auto tone = [&] {
    for (const DetailSection& section : point_details(point, false)) {
      for (const DetailRow& row : section.rows) {
        if (row.label == "Spills") return row.tone;
      }
    }
    throw std::logic_error("no row");
  };
  EXPECT_EQ(tone(), Tone::plain);
  point.resources->spill_bytes = 4;
  EXPECT_EQ(tone(), Tone::bad);
}

TEST(PointDetails, LeaveOutWhatAPointDoesNotHave) {
  const auto sections = point_details(make_point(8, "row"), false);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].title, "Provenance");
}

TEST(PointDetails, ANaNErrorIsBad) {
  Measurement point = make_point(8, "row");
  point.error = Error{std::nan(""), 0, 1e-3, "gpu", 4, 8};
  const auto sections = point_details(point, false);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].rows[0].tone, Tone::bad);
  point.error->max_abs = 1e-4;
  EXPECT_EQ(point_details(point, false)[0].rows[0].tone, Tone::good);
}

TEST(PointDetails, RecordedFiguresSaySo) {
  Measurement point = occupied_point(Limiter::warps);
  point.latency = make_timed(8, "row", 3).latency;
  for (const DetailSection& section : point_details(point, true)) {
    if (section.title == "Provenance") continue;
    EXPECT_NE(section.origin.find("recorded"), std::string::npos) << section.title;
  }
}

TEST(CompilerLog, FindsTheOffendingLine) {
  const auto log = parse_compiler_log(
      "flash_scalar.cu(12): warning #177-D: variable \"a\" was declared but never referenced\n"
      "flash_scalar.cu(40): error: identifier \"rows\" is undefined\n"
      "    int x = rows + 1;\n            ^\n\n1 error detected in the compilation of "
      "\"flash_scalar.cu\".\n");
  ASSERT_EQ(log.size(), 6u);
  EXPECT_EQ(log[0].severity, LogLine::Severity::warning);
  const LogLine* error = first_error(log);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->file, "flash_scalar.cu");
  EXPECT_EQ(error->line, 40);
  EXPECT_EQ(log[2].severity, LogLine::Severity::text);
}

TEST(CompilerLog, ErrorsOfTheHostCompilerHaveAPlaceToo) {
  const auto log = parse_compiler_log(
      "In file included from k.cu:1:\nsub/a.cuh:2:10: fatal error: b.cuh: No such file or directory\n");
  const LogLine* error = first_error(log);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->file, "sub/a.cuh");
  EXPECT_EQ(error->line, 2);
}

TEST(CompilerLog, ALogWithoutAPlaceHasNoFirstError) {
  const auto log =
      parse_compiler_log("nvrtc: error: invalid value for --gpu-architecture (-arch)\nerror: too big\n");
  EXPECT_EQ(first_error(log), nullptr);
  EXPECT_EQ(log[1].severity, LogLine::Severity::error);
  EXPECT_TRUE(parse_compiler_log("").empty());
}

TEST(CompilerLog, LinesCountFromOne) {
  EXPECT_EQ(line_of("a\nb\nc", 1), "a");
  EXPECT_EQ(line_of("a\nb\nc", 3), "c");
  EXPECT_EQ(line_of("a\nb\nc", 4), "");
}

}  // namespace
}  // namespace tilescope
