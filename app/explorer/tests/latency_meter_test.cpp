#include "app/explorer/latency_meter.hpp"

#include <gtest/gtest.h>

#include "app/explorer/latency_meter_text.hpp"
#include "base/json.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

class LatencyMeterTest : public ::testing::Test {
 protected:
  void frame() {
    meter.frame_begins();
    time += 4ms;
    meter.frame_drawn();
  }
  void move() {
    meter.moved();
    meter.asked();
  }
  LatencyMeter::Row row(std::optional<AnswerSource> source) const {
    for (const LatencyMeter::Row& row : meter.rows()) {
      if (row.source == source) return row;
    }
    return {};
  }
  static std::optional<LatencyMeter::Figure> at(
      const std::array<std::optional<LatencyMeter::Figure>, answer_stages>& figures, AnswerStage stage) {
    return figures[static_cast<std::size_t>(stage)];
  }

  LatencyMeter::Clock::time_point time{1h};
  LatencyMeter meter{[this] { return time; }};
};

TEST_F(LatencyMeterTest, TimesEachStageFromTheMoveUntilItIsReceivedAndDrawn) {
  move();
  time += 10ms;
  meter.received(PointStage::judged);
  frame();
  time += 6ms;
  meter.received(PointStage::compiled);
  frame();
  time += 26ms;
  meter.received_final(AnswerSource::compiled);
  frame();
  const LatencyMeter::Row compiled = row(AnswerSource::compiled);
  EXPECT_EQ(compiled.moves, 1U);
  EXPECT_EQ(at(compiled.received, AnswerStage::judged)->median_ms, 10);
  EXPECT_EQ(at(compiled.drawn, AnswerStage::judged)->median_ms, 14);
  EXPECT_EQ(at(compiled.received, AnswerStage::compiled)->median_ms, 20);
  EXPECT_EQ(at(compiled.drawn, AnswerStage::compiled)->median_ms, 24);
  EXPECT_EQ(at(compiled.received, AnswerStage::final)->median_ms, 50);
  EXPECT_FALSE(at(compiled.drawn, AnswerStage::checked));
  EXPECT_EQ(row(AnswerSource::cached).moves, 0U);
  EXPECT_EQ(meter.stages_drawn(), (std::array<std::uint64_t, answer_stages>{1, 1, 0, 0, 1}));
}

TEST_F(LatencyMeterTest, AFrameShowsTheLatestStageAlone) {
  move();
  meter.received(PointStage::judged);
  time += 10ms;
  // Without a GPU the PTX may be checked before the registers are known.
  meter.received(PointStage::checked);
  time += 2ms;
  meter.received(PointStage::compiled);
  frame();
  time += 1ms;
  frame();
  meter.received_final(AnswerSource::compiled);
  const LatencyMeter::Row compiled = row(AnswerSource::compiled);
  EXPECT_EQ(at(compiled.received, AnswerStage::judged)->median_ms, 0);
  EXPECT_EQ(at(compiled.received, AnswerStage::checked)->median_ms, 10);
  EXPECT_FALSE(at(compiled.drawn, AnswerStage::judged));
  EXPECT_FALSE(at(compiled.drawn, AnswerStage::checked));
  EXPECT_EQ(at(compiled.drawn, AnswerStage::compiled)->median_ms, 16);
  EXPECT_EQ(meter.stages_drawn(), (std::array<std::uint64_t, answer_stages>{0, 1, 0, 0, 0}));
}

TEST_F(LatencyMeterTest, AFailedMoveIsWithoutAnAnswerAtOnce) {
  move();
  meter.received(PointStage::judged);
  EXPECT_EQ(row(std::nullopt).moves, 0U) << "it may be answered yet";
  meter.received_none();
  EXPECT_EQ(row(std::nullopt).moves, 1U);
  meter.received_final(AnswerSource::compiled);
  EXPECT_EQ(row(AnswerSource::compiled).moves, 0U) << "that is of nobody's move";
}

TEST_F(LatencyMeterTest, AMoveBeginsWhenItsMouseEventCameIn) {
  meter.input_arrived();
  time += 5ms;
  meter.frame_begins();
  move();
  meter.received_final(AnswerSource::session);
  time += 3ms;
  meter.frame_drawn();
  EXPECT_FALSE(at(row(AnswerSource::session).drawn, AnswerStage::final))
      << "that frame began before the answer";
  frame();
  EXPECT_EQ(at(row(AnswerSource::session).received, AnswerStage::final)->median_ms, 5);
  EXPECT_EQ(at(row(AnswerSource::session).drawn, AnswerStage::final)->median_ms, 12);
  time += 1s;
  move();
  meter.received_final(AnswerSource::session);
  EXPECT_EQ(at(row(AnswerSource::session).received, AnswerStage::final)->median_ms, 0)
      << "the event belonged to the first move: the second took 0 ms, and by rank the median of two is the "
         "lower";
  EXPECT_EQ(at(row(AnswerSource::session).received, AnswerStage::final)->p90_ms, 5);
}

TEST_F(LatencyMeterTest, ALaterMoveEndsTheOneBefore) {
  move();
  time += 2ms;
  meter.received(PointStage::judged);
  frame();
  time += 1ms;
  meter.received(PointStage::compiled);
  move();
  frame();
  meter.received_final(AnswerSource::cached);
  const LatencyMeter::Row none = row(std::nullopt);
  EXPECT_EQ(none.moves, 1U);
  EXPECT_TRUE(at(none.drawn, AnswerStage::judged));
  EXPECT_TRUE(at(none.received, AnswerStage::compiled));
  EXPECT_FALSE(at(none.drawn, AnswerStage::compiled)) << "no frame showed it";
  EXPECT_FALSE(at(row(AnswerSource::cached).received, AnswerStage::judged));
}

TEST_F(LatencyMeterTest, WhatNobodyMovedForIsNoAnswer) {
  meter.asked();
  meter.received(PointStage::judged);
  meter.received_final(AnswerSource::compiled);
  frame();
  move();
  meter.received_final(AnswerSource::cached);
  meter.asked();
  meter.received(PointStage::judged);
  meter.received_final(AnswerSource::compiled);
  frame();
  EXPECT_EQ(meter.moves(), 1U);
  EXPECT_EQ(row(AnswerSource::compiled).moves, 0U);
  EXPECT_EQ(meter.stages_drawn()[0], 0U);
}

TEST_F(LatencyMeterTest, KeepsTheLastMovesWithTheirMedianAndP90) {
  for (int i = 0; i < 300; ++i) {
    move();
    time += std::chrono::milliseconds(i < 44 ? 1000 : i - 43);
    meter.received_final(AnswerSource::compiled);
  }
  const LatencyMeter::Row compiled = row(AnswerSource::compiled);
  EXPECT_EQ(meter.moves(), 300U);
  EXPECT_EQ(compiled.moves, LatencyMeter::moves_kept);
  EXPECT_EQ(at(compiled.received, AnswerStage::final)->median_ms, 128) << "the 128th of 256 by nearest rank";
  EXPECT_EQ(at(compiled.received, AnswerStage::final)->p90_ms, 231);
}

TEST_F(LatencyMeterTest, TheLongestTurnIsThatOfTheLastMinute) {
  EXPECT_EQ(meter.longest_turn_ms(), 0);
  meter.turned(3);
  meter.turned(40);
  meter.held(1);
  time += 50s;
  meter.turned(5);
  meter.turned(7);
  meter.turned(2);
  EXPECT_EQ(meter.longest_turn_ms(), 40);
  EXPECT_EQ(meter.longest_part_ms(), 1) << "of the loop's own work";
  time += 11s;
  EXPECT_EQ(meter.longest_turn_ms(), 7);
  time += 60s;
  EXPECT_EQ(meter.longest_turn_ms(), 0);
}

TEST_F(LatencyMeterTest, ItsTextHasARowForEachSourceWithItsFigures) {
  meter.turned(31);
  meter.held(4);
  move();
  time += 12ms;
  meter.received_final(AnswerSource::prepared);
  frame();
  const LatencyMeterTable table = latency_meter_table(meter);
  ASSERT_EQ(table.rows.size(), answer_sources + 1);
  EXPECT_EQ(table.rows[1].title, "Prepared ahead");
  EXPECT_EQ(table.rows[1].drawn.back().median, "16.0");
  EXPECT_EQ(table.rows[1].drawn.front().median, "-");
  EXPECT_NE(latency_meter_text(meter).find("Prepared ahead\t1\t-\t"), std::string::npos);
  EXPECT_TRUE(table.stalls[0].text.ends_with(": 31.0 ms")) << table.stalls[0].text;
  EXPECT_TRUE(table.stalls[1].text.ends_with(": 4.0 ms")) << table.stalls[1].text;
  for (const auto& stall : table.stalls)
    EXPECT_NE(latency_meter_text(meter).find(stall.text), std::string::npos);
  const Json json = latency_meter_json(meter);
  EXPECT_EQ(json["longest_turn_ms"], 31.0);
  EXPECT_EQ(json["longest_part_ms"], 4.0);
  ASSERT_EQ(json["figures"].size(), 1U);
  EXPECT_EQ(json["figures"][0]["source"], "prepared");
  EXPECT_EQ(json["figures"][0]["drawn_ms"], 16.0);
  EXPECT_EQ(json["stages_drawn"]["final"], 1);
}

}  // namespace
}  // namespace tilescope
