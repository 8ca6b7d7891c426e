#include "profiler/views/model/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilescope {
namespace {

SharedMeasurement share(Measurement point) {
  return std::make_shared<const Measurement>(std::move(point));
}

class RooflineTest : public ::testing::Test {
 protected:
  static Measurement make_point(const std::string& kernel) {
    Measurement point;
    point.kernel = kernel;
    point.device = {"L4", "sm_89", false};
    return point;
  }
  static Measurement timed(const std::string& kernel, double p50_us) {
    Measurement point = make_point(kernel);
    point.latency.emplace().p50_us = p50_us;
    point.latency->tflops = attention_flops(point.shape) / p50_us * 1e-6;
    return point;
  }
  static void count_memory(Measurement& point, std::int64_t sectors, std::int64_t wavefronts, bool tensor) {
    MemoryCounts& memory = point.memory.emplace();
    memory.global_sectors = sectors;
    memory.shared_wavefronts = wavefronts;
    memory.instructions = {{"fma", 10}};
    if (tensor) memory.instructions["tensor"] = 1;
  }
  RooflineView view(const PointList& session, MemoryLevel level = MemoryLevel::dram,
                    const PointList& recorded = {}) const {
    RooflineChoice choice;
    choice.level = level;
    return roofline(l4(), choice, session, recorded, {});
  }
  const DeviceModel& l4() const { return *match_device(tables_, "L4"); }

  std::vector<DeviceModel> tables_ =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
};

TEST(Work, AttentionReadsThreeTensorsAndWritesOne) {
  Shape shape;
  shape.Hkv = 2;
  shape.Sk = 1024;
  const Work work = work_of(shape, false);
  EXPECT_DOUBLE_EQ(work.flops, 4.0 * 8 * 512 * 1024 * 64);
  EXPECT_DOUBLE_EQ(work.compulsory_bytes, 2.0 * (2 * 8 * 512 * 64 + 2 * 2 * 1024 * 64));
  shape.causal = true;
  EXPECT_DOUBLE_EQ(work_of(shape, false).flops, work.flops / 2);
  EXPECT_EQ(flops_formula(shape, false), "4*B*Hq*Sq*Sk*D / 2, causal");
}

TEST_F(RooflineTest, ThePredictedRooflineTimeNamesWhatBoundsIt) {
  Shape shape;
  shape.Sq = shape.Sk = 4096;
  const std::string compute = roofline_time_words(work_of(shape, false), l4());
  EXPECT_NE(compute.find("bound by compute: 34.4 GFLOP at 121 TFLOP/s"), std::string::npos) << compute;
  shape.Sq = 1;
  const std::string dram = roofline_time_words(work_of(shape, false), l4());
  EXPECT_NE(dram.find("bound by DRAM: 8.39 MB at 300 GB/s"), std::string::npos) << dram;
}

TEST(Work, TheScoresAloneAreHalfOfItAndAreWritten) {
  const Shape shape;
  const Work work = work_of(shape, true);
  EXPECT_DOUBLE_EQ(work.flops, attention_flops(shape) / 2);
  EXPECT_DOUBLE_EQ(work.compulsory_bytes, 2.0 * (8 * 512 * 64 + 8 * 512 * 64 + 8 * 512 * 512));
}

TEST_F(RooflineTest, EachLevelCountsItsOwnBytes) {
  Measurement point = timed("k", 50);
  count_memory(point, 1000, 300, false);
  const double flops = attention_flops(point.shape);
  const auto intensity = [&](MemoryLevel level) {
    return view({share(point)}, level).series.at(0).dots.at(0).intensity;
  };
  EXPECT_DOUBLE_EQ(intensity(MemoryLevel::dram), flops / (4.0 * 2 * 8 * 512 * 64));
  EXPECT_DOUBLE_EQ(intensity(MemoryLevel::l2), flops / 32000);
  EXPECT_DOUBLE_EQ(intensity(MemoryLevel::shared), flops / (300 * 128));
}

TEST_F(RooflineTest, TheRoofIsTheLowerOfBandwidthAndPeak) {
  const RooflineView empty = view({});
  const Roof steep = empty.roof_at(10, CeilingId::tensor);
  EXPECT_DOUBLE_EQ(steep.tflops, 3);
  EXPECT_EQ(steep.limited_by, CeilingId::dram);
  const Roof flat = empty.roof_at(1e6, CeilingId::tensor);
  EXPECT_DOUBLE_EQ(flat.tflops, 121);
  EXPECT_EQ(flat.limited_by, CeilingId::tensor);
  EXPECT_EQ(empty.roof_at(1e6, CeilingId::fma).limited_by, CeilingId::fma);
}

TEST_F(RooflineTest, WithoutTensorInstructionsThePeakIsThatOfFma) {
  Measurement scalar = timed("a_scalar", 50);
  count_memory(scalar, 1, 1, false);
  Measurement tensor = timed("b_tensor", 10);
  count_memory(tensor, 1, 1, true);
  const RooflineView both =
      view({share(scalar), share(tensor), share(timed("c_unknown", 10))}, MemoryLevel::l2);
  ASSERT_EQ(both.series.size(), 2u);
  EXPECT_EQ(both.series[0].dots[0].roof.limited_by, CeilingId::fma);
  EXPECT_EQ(both.series[1].dots[0].roof.limited_by, CeilingId::tensor);
  EXPECT_EQ(both.without_bytes, 1u);
  EXPECT_EQ(both.kernels, (std::vector<std::string>{"a_scalar", "b_tensor"}));
  EXPECT_EQ(both.all_kernels, (std::vector<std::string>{"a_scalar", "b_tensor", "c_unknown"}));
}

TEST_F(RooflineTest, TheLowestRoofIsThatOfAllLevelsWhicheverIsDrawn) {
  Measurement point = make_point("k");
  count_memory(point, 1000, 37'100'000, false);
  const double intensity = attention_flops(point.shape) / (37.1e6 * 128);
  for (const MemoryLevel level : memory_levels) {
    const RooflineView drawn = view({share(point)}, level);
    const std::optional<LowestRoof> lowest = lowest_roof(drawn, point);
    ASSERT_TRUE(lowest);
    EXPECT_EQ(lowest->roof.limited_by, CeilingId::shared);
    EXPECT_DOUBLE_EQ(lowest->roof.tflops,
                     drawn.ceilings.find(CeilingId::shared)->peak.value * intensity / 1000);
    EXPECT_EQ(lowest_roof_words(drawn, point),
              "Lowest roof of the shown point: shared memory, 1.71 TFLOP/s at 0.113 FLOP/B.");
  }
  point.memory->shared_wavefronts = 300;
  EXPECT_EQ(lowest_roof_words(view({share(point)}), point),
            "Lowest roof of the shown point: FP32 FMA peak, 30.3 TFLOP/s.");
}

TEST_F(RooflineTest, LevelsThatWereNotCountedAreNamedWithTheLowestRoof) {
  Measurement point = make_point("k");
  EXPECT_EQ(lowest_roof_words(view({share(point)}), point),
            "Lowest roof of the shown point: DRAM, 76.8 TFLOP/s at 256 FLOP/B. L2 and shared memory are not "
            "counted for it.");
  point.status = Status::wrong_result;
  EXPECT_EQ(lowest_roof_words(view({share(point)}), point), "");
  point.status = Status::ok;
  point.device.name = "H200";
  EXPECT_EQ(lowest_roof_words(view({share(point)}), point), "");
}

TEST_F(RooflineTest, WhatAHeightIsFromIsKeptApart) {
  Measurement both = timed("k", 100);
  both.prediction = Prediction{50, 40, 60, {}, "", "", {}};
  Measurement imported = timed("k", 200);
  imported.latency->kind = LatencyKind::recorded;
  const RooflineView made = view({share(both), share(imported)}, MemoryLevel::dram, {share(timed("k", 400))});
  ASSERT_EQ(made.series.size(), 3u);
  EXPECT_EQ(made.series[0].origin, RooflineOrigin::recorded);
  EXPECT_EQ(made.series[0].dots.size(), 2u);
  EXPECT_EQ(made.series[1].origin, RooflineOrigin::predicted);
  const TextPair line = dot_tooltip(made, made.series[1], made.series[1].dots.front()).front();
  EXPECT_EQ(line.first, "predicted for " + both.device.name);
  EXPECT_NE(line.second.find("50.00 µs (40.00 to 60.00)"), std::string::npos);
  EXPECT_EQ(made.series[2].origin, RooflineOrigin::measured);
  const double flops = attention_flops(Shape{});
  EXPECT_DOUBLE_EQ(made.series[2].dots[0].tflops, flops / 100 * 1e-6);
  EXPECT_DOUBLE_EQ(made.series[1].dots[0].tflops, flops / 50 * 1e-6);
  EXPECT_EQ(made.dots(), 4u);
}

TEST_F(RooflineTest, PointsWithoutALatencyShareATickAtTheirIntensity) {
  const auto newest = share(make_point("k"));
  const RooflineView made = view({share(make_point("k")), newest});
  EXPECT_TRUE(made.series.empty());
  ASSERT_EQ(made.ticks.size(), 1u);
  ASSERT_EQ(made.ticks[0].entries.size(), 2u);
  EXPECT_EQ(made.points[made.ticks[0].entries.back()], newest);
  EXPECT_EQ(made.ticks[0].roof.limited_by, CeilingId::dram);
  EXPECT_EQ(
      roofline_notes(made).front(),
      "2 points have no latency: their ticks on the roof show the intensity and the most that can be reached "
      "there.");
}

TEST_F(RooflineTest, WhatIsLeftOutIsCounted) {
  Measurement wrong = timed("k", 10);
  wrong.status = Status::wrong_result;
  Measurement elsewhere = timed("k", 10);
  elsewhere.device.name = "H200";
  Measurement longer = timed("k", 10);
  longer.shape.Sq = 1024;
  RooflineChoice choice;
  choice.kernel = "k";
  choice.shape = Shape{};
  const RooflineView made = roofline(
      l4(), choice, {share(wrong), share(elsewhere), share(longer), share(timed("other", 1))}, {}, {});
  EXPECT_EQ(made.dots(), 0u);
  EXPECT_EQ(made.failed, 1u);
  EXPECT_EQ(made.of_other_devices, 1u);
  const std::vector<std::string> notes = roofline_notes(made);
  EXPECT_NE(
      std::find(notes.begin(), notes.end(), "1 point of other devices is left out: choose the device above."),
      notes.end());
  EXPECT_EQ(made.of_other_kernels, 1u);
  EXPECT_EQ(made.of_other_shapes, 1u);
  EXPECT_NE(
      std::find(notes.begin(), notes.end(), "1 point has another shape and is left out: All shapes is off."),
      notes.end());
}

TEST_F(RooflineTest, AnUnsupportedPointIsNotCalledIncorrect) {
  Measurement library = make_point("k");
  library.status = Status::unsupported;
  const RooflineView made = view({share(library)});
  EXPECT_EQ(made.failed, 0u);
  EXPECT_EQ(roofline_notes(made).at(1), "1 point is unsupported here and is left out.");
}

TEST_F(RooflineTest, WhereNothingIsShownEveryReasonIsCountedAndTheRemedyHelps) {
  Measurement longer = timed("k", 10);
  longer.shape.Sq = 1024;
  RooflineChoice choice;
  choice.level = MemoryLevel::shared;
  choice.shape = Shape{};
  const auto why = [&] {
    return why_nothing_is_shown(roofline(l4(), choice, {}, {share(timed("k", 10)), share(longer)}, {}));
  };
  EXPECT_EQ(why().text,
            "1 point cannot be placed: shared-memory wavefronts were not counted, or there are none. 1 point "
            "has another shape and is left out: All shapes is off. Those cannot be placed at this level "
            "either.");
  EXPECT_TRUE(why().chooses_dram);
  EXPECT_EQ(why().remedy, "Choose DRAM");
  count_memory(longer, 1, 1, true);
  EXPECT_FALSE(why().chooses_dram) << "the other shape has counts";
  EXPECT_EQ(why().remedy, "Show all shapes");
}

TEST_F(RooflineTest, TicksOfTwoKernelsAreApartAndEachPointIsFound) {
  const auto first = share(make_point("a"));
  const auto second = share(make_point("b"));
  const RooflineView made = view({first, second});
  EXPECT_EQ(made.ticks.size(), 2u);
  EXPECT_EQ(made.entry_of(second.get()), 1u);
  EXPECT_FALSE(made.entry_of(nullptr).has_value());
  EXPECT_EQ(point_heading(*first, 2), "a\nand 2 more here");
}

TEST_F(RooflineTest, APointOfAnOlderSourceIsASeriesOfItsOwn) {
  Measurement old = timed("k", 10);
  old.provenance.source_sha256 = "old";
  Measurement now = timed("k", 10);
  now.provenance.source_sha256 = "now";
  const RooflineView made = roofline(l4(), {}, {share(old), share(now)}, {share(old)}, {{"k", "now"}});
  ASSERT_EQ(made.series.size(), 3u);
  EXPECT_FALSE(made.series[0].older_source) << "a recorded one is what it was";
  EXPECT_FALSE(made.series[1].older_source);
  EXPECT_TRUE(made.series[2].older_source);
}

TEST_F(RooflineTest, TheTooltipHasTheFiguresAndTheShareOfTheRoof) {
  const RooflineView made = view({share(timed("k", 100))});
  const RooflineSeries& series = made.series.at(0);
  const std::vector<TextPair> lines = dot_tooltip(made, series, series.dots.at(0));
  const auto value = [&](const std::string& label) {
    const auto line =
        std::find_if(lines.begin(), lines.end(), [&](const TextPair& pair) { return pair.first == label; });
    return line == lines.end() ? "no line" : line->second;
  };
  // 536.9 MFLOP in 100 us, over 2 MiB: 256 FLOP/B, where 300 GB/s allow 76.8 TFLOP/s.
  EXPECT_EQ(value("measured"), "5.37 TFLOP/s, 100.00 µs");
  EXPECT_EQ(value("intensity"), "256 FLOP/B");
  EXPECT_EQ(value("operations"), "537 MFLOP, 4*B*Hq*Sq*Sk*D");
  EXPECT_EQ(value("bytes"), "2.10 MB, Q, K, V and O once");
  EXPECT_EQ(value("roof here"), "76.8 TFLOP/s, DRAM bandwidth");
  EXPECT_EQ(value("achieved"), "7.0 % of the roof");
}

// One query of 512 keys: 0.5 MB in 1 us are more than the 300 GB/s of DRAM.
TEST_F(RooflineTest, APointAboveTheRoofOfDramSaysThatL2WasWarm) {
  const auto has_remark = [&](const Measurement& point) {
    const RooflineView made = view({share(point)});
    const std::vector<TextPair> lines = dot_tooltip(made, made.series.at(0), made.series.at(0).dots.at(0));
    return std::any_of(lines.begin(), lines.end(),
                       [](const TextPair& pair) { return pair.first == "above the roof"; });
  };
  Measurement decode = timed("k", 1);
  decode.shape.Sq = 1;
  EXPECT_TRUE(has_remark(decode));
  decode.latency->series = "l2_cold";
  EXPECT_FALSE(has_remark(decode));
  decode.latency->series = "l2_warm";
  decode.latency->p50_us = 100;
  EXPECT_FALSE(has_remark(decode)) << "below it";
}

TEST_F(RooflineTest, TheAxesHoldEveryPointAndTheRidge) {
  Measurement slow = timed("k", 1e6);
  count_memory(slow, 100000000, 1, false);
  const RooflineView made = view({share(slow)}, MemoryLevel::l2);
  const RooflineDot& dot = made.series.at(0).dots.at(0);
  EXPECT_LT(made.low_intensity, dot.intensity);
  EXPECT_LT(made.low_tflops, dot.tflops);
  EXPECT_GT(made.high_tflops, 121);
  EXPECT_GT(made.high_intensity, 121e3 / made.ceilings.find(CeilingId::l2)->peak.value);
}

TEST_F(RooflineTest, ADeviceWithoutANumberHasNoRoofAndStillPlacesItsPoints) {
  DeviceModel unknown;
  unknown.name = "L4";
  const RooflineView made = roofline(unknown, {}, {share(timed("k", 10))}, {}, {});
  EXPECT_FALSE(made.has_roof());
  EXPECT_EQ(made.dots(), 1u);
  EXPECT_EQ(made.series[0].dots[0].roof.tflops, 0);
  EXPECT_EQ(roofline_notes(made).size(), 5u);
}

TEST_F(RooflineTest, TheTableHasTheCeilingsAndEveryPoint) {
  const RooflineView made = view({share(timed("k", 100)), share(make_point("k"))});
  const std::string csv = roofline_csv(made);
  const std::string dram =
      "\nceiling,DRAM,L4" + std::string(10, ',') + "300,Device table: NVIDIA L4 datasheet.";
  EXPECT_NE(csv.find(dram), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nmeasured,k,L4,B1 H8 S512 D64 fp16,,536870912,2097152,256,5.36870912,76.8,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\nno latency,k,L4,"), std::string::npos);
}

TEST(RooflineDevices, ThePickedOneIsFirstWhereItWasTimed) {
  const std::vector<RooflineDevice> devices{{"A100", 5, 2}, {"H200", 9, 9}, {"L4", 1, 0}};
  EXPECT_EQ(first_roofline_device(devices, "L4"), "H200");
  EXPECT_EQ(first_roofline_device(devices, "A10"), "H200");
  EXPECT_EQ(first_roofline_device({}, "A10"), "A10");
  EXPECT_EQ(first_roofline_device({{"L4", 1, 0}}, "L4"), "L4");
}

}  // namespace
}  // namespace tilescope
