// Advice and checkers against the real worker, which interprets the kernels of the catalogue.

#include "app/explorer/tune/advice.hpp"

#include <gtest/gtest.h>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/memory/check_run.hpp"
#include "app/explorer/points/point_sources.hpp"
#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

class AdviceTest : public testing::Test {
 protected:
  AdviceTest() : explorer(start_explorer(scratch, {REAL_WORKER, "worker"})) {}

  void choose(const std::string& kernel, const Configuration& parameters) {
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    explorer->selection().set_experiment(experiment);
    ASSERT_TRUE(settle(*explorer));
  }
  // As a panel does, once per frame.
  void update() { advice.update(explorer->shown().point()); }
  bool try_all() {
    return wait_for(*explorer, [&] {
      update();
      return advice.counts() && advice.are_all_tried();
    });
  }
  bool gains(const std::string& change) const {
    return std::ranges::any_of(advice.tries().gains,
                               [&](const auto& gain) { return gain.text.starts_with(change + ": "); });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
  Advice advice{explorer->board()};
};

TEST_F(AdviceTest, SavingsComeBehindThePoint) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  const SharedMeasurement point = explorer->jobs().current_point();
  ASSERT_TRUE(point->prediction);
  EXPECT_TRUE(point->prediction->without.empty()) << "nobody waits for it under a slider";
  const auto saving_of_conflicts = [&]() -> std::optional<Saving> {
    update();
    for (const Advice::Item& item : advice.items()) {
      if (item.diagnosis.kind == "bank_conflicts") return item.diagnosis.saving;
    }
    return std::nullopt;
  };
  EXPECT_FALSE(saving_of_conflicts());
  ASSERT_TRUE(wait_for(*explorer, [&] { return saving_of_conflicts().has_value(); }));
  EXPECT_GT(saving_of_conflicts()->us, 0.25 * point->prediction->p50_us);
  EXPECT_EQ(explorer->jobs().current_point(), point) << "the point stays as it is";
}

TEST_F(AdviceTest, ConflictsAreRepairedWithWhatWasTried) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  const SharedMeasurement before = explorer->jobs().current_point();
  const std::size_t points = explorer->points().list().size();
  update();
  ASSERT_FALSE(advice.items().empty());
  EXPECT_EQ(advice.items()[0].diagnosis.kind, "bank_conflicts");
  ASSERT_TRUE(advice.counts());
  EXPECT_EQ(advice.tried(), 0U) << "nothing is guessed";
  EXPECT_FALSE(advice.are_all_tried());
  ASSERT_TRUE(wait_for(*explorer, [&] { return advice.tries_count() > 0; }));
  EXPECT_TRUE(advice.tries().not_tried_words.starts_with("Not tried yet: SMEM_LAYOUT=padded, "))
      << advice.tries().not_tried_words;
  ASSERT_TRUE(try_all());
  EXPECT_EQ(explorer->points().list().size(), points) << "nobody chose the changed points";
  EXPECT_EQ(advice.tries().not_tried_words, "");
  const Advice::Item& item = advice.items()[0];
  ASSERT_GE(item.options.size(), 2U);
  const ParameterChange swizzle = {"SMEM_LAYOUT", std::string("xor_swizzle")};
  const auto option = std::ranges::find(item.options, swizzle, &Advice::Option::change);
  ASSERT_NE(option, item.options.end());
  EXPECT_TRUE(option->text.ends_with(" µs, predicted; 0.0 % bank conflicts")) << option->text;
  EXPECT_TRUE(gains("SMEM_LAYOUT=xor_swizzle") && gains("SMEM_LAYOUT=padded"));
  EXPECT_FALSE(gains("SYNC_POLICY=heavy")) << "more barriers";

  advice.apply(swizzle);
  EXPECT_FALSE(explorer->jobs().measuring()) << "its point is there";
  ASSERT_NE(explorer->jobs().current_point(), nullptr);
  EXPECT_EQ(explorer->points().list().size(), points + 1) << "now it was chosen";
  EXPECT_EQ(explorer->points().list().back(), explorer->jobs().current_point());
  update();
  for (const Advice::Item& left : advice.items()) EXPECT_NE(left.diagnosis.kind, "bank_conflicts");
  const auto& applied = advice.applied();
  ASSERT_TRUE(applied.has_value());
  EXPECT_EQ(applied->before, before);
  EXPECT_EQ(applied->now, explorer->jobs().current_point());
  EXPECT_EQ(applied->sentence, "Before: 74.1 % bank conflicts; now 0.0 %.");
  ASSERT_GE(applied->rows.size(), 2U);
  EXPECT_EQ(applied->rows[1].label, "Wavefronts");

  explorer->selection().undo();
  EXPECT_EQ(explorer->jobs().current_point(), before);
  update();
  EXPECT_FALSE(advice.applied().has_value());
}

TEST_F(AdviceTest, ASliderIsServedBeforeTries) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(wait_for(*explorer, [&] {
    update();
    return advice.tries_count() > 0 && !explorer->jobs().is_idle();
  })) << "the first change is asked for";
  Experiment experiment = explorer->selection().experiment();
  experiment.parameters["VEC_WIDTH"] = std::int64_t{4};
  explorer->selection().set_experiment(experiment);
  update();
  EXPECT_TRUE(advice.items().empty()) << "nothing is known of the new point";
  ASSERT_TRUE(wait_for(*explorer, [&] {
    update();
    return !explorer->jobs().measuring();
  }));
  ASSERT_TRUE(try_all());
  EXPECT_EQ(explorer->jobs().current_point()->parameters.at("VEC_WIDTH"), ParameterValue(std::int64_t{4}));
}

TEST_F(AdviceTest, AChangedPointIsFoundByASweep) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(try_all());
  explorer->jobs().start_sweep({{"SMEM_LAYOUT", {}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->points().list().size() >= 3; }));
  ASSERT_TRUE(settle(*explorer));
  std::size_t of_the_sweep = 0;
  for (const SharedMeasurement& point : explorer->points().list()) {
    if (point->parameters.at("REDUCE") == ParameterValue(std::string("shuffle")) &&
        point->parameters.at("SYNC_POLICY") == ParameterValue(std::string("light")) &&
        point->parameters.at("VEC_WIDTH") == ParameterValue(std::int64_t{8}))
      ++of_the_sweep;
  }
  EXPECT_EQ(of_the_sweep, 3U) << "each value of SMEM_LAYOUT is a point of the session, once";
}

TEST_F(AdviceTest, ARecordedPointIsJudgedButNotCounted) {
  choose("flash_scalar", {});
  Measurement point = *explorer->jobs().current_point();
  point.diagnoses.reset();
  point.memory->shared_wavefronts = 1000;
  point.memory->sites = {MemorySite{}};
  MemorySite& site = point.memory->sites[0];
  site.line = 148;
  site.operation = "ld.shared";
  site.conflicts = 800;
  site.worst_degree = 8;
  const auto recorded = std::make_shared<const Measurement>(point);
  advice.update(recorded);
  ASSERT_FALSE(advice.items().empty()) << "made for a point that carries no diagnoses";
  EXPECT_FALSE(advice.counts());
  EXPECT_TRUE(advice.items()[0].options.empty());
  EXPECT_TRUE(advice.tries().gains.empty() && advice.tries().not_tried_words.empty());
  EXPECT_FALSE(recorded->diagnoses.has_value()) << "the recording is unchanged";
}

TEST_F(AdviceTest, ARecordedPointShowsTheTriesThatItCarries) {
  choose("flash_scalar", {});
  Measurement point = *explorer->jobs().current_point();
  const double here = point.prediction->p50_us;
  point.tries = {{"NUM_WARPS", std::int64_t{4}, here / 2, Status::ok}, {"NUM_WARPS", std::int64_t{16}}};
  advice.update(std::make_shared<const Measurement>(point));
  EXPECT_FALSE(advice.counts());
  EXPECT_TRUE(gains("NUM_WARPS=4"));
  EXPECT_EQ(advice.tries().not_tried_words, "Not tried yet: NUM_WARPS=16");
}

TEST_F(AdviceTest, AFewerWarpsPointIsTriedFurtherThanOneStep) {
  choose("flash_scalar", {{"NUM_WARPS", std::int64_t{1}}});
  ASSERT_TRUE(try_all());
  EXPECT_TRUE(gains("NUM_WARPS=8")) << "2, 4 and 8 gain, each over the one before";
  EXPECT_LE(advice.tried(), max_tries);
}

TEST_F(AdviceTest, CheckersFindTheRaceOfAnExhibitAndNothingWithoutIt) {
  choose("missing_barrier", {{"FAULT", std::string("on")}});
  const std::size_t points = explorer->points().list().size();
  auto& check = explorer->board().get<CheckRun>();
  EXPECT_EQ(check.result(), nullptr);
  EXPECT_EQ(why_not_interpreted(explorer->board()).text, "");
  check.start();
  EXPECT_TRUE(check.running());
  ASSERT_TRUE(wait_for(*explorer, [&] { return !check.running(); }));
  const SharedMeasurement found = check.result();
  ASSERT_NE(found, nullptr);
  ASSERT_FALSE(found->findings.empty());
  EXPECT_EQ(found->findings[0].kind, "race");
  EXPECT_EQ(explorer->points().list().size(), points) << "it is no point of the session";

  PointSources sources(explorer->board());
  ASSERT_NE(sources.find(*found), nullptr);
  EXPECT_EQ(sources.find(*found)->name, "missing_barrier.cu");

  choose("missing_barrier", {{"FAULT", std::string("off")}});
  EXPECT_EQ(check.result(), nullptr) << "the findings are of FAULT=on";
  check.start();
  ASSERT_TRUE(wait_for(*explorer, [&] { return !check.running(); }));
  ASSERT_NE(check.result(), nullptr);
  EXPECT_TRUE(check.result()->findings.empty());
  explorer->selection().undo();
  EXPECT_EQ(check.result(), found) << "what was checked before is kept";
}

TEST_F(AdviceTest, CheckersThatAreCancelledLeaveNothing) {
  choose("missing_barrier", {{"FAULT", std::string("on")}});
  auto& check = explorer->board().get<CheckRun>();
  check.start();
  check.cancel();
  EXPECT_FALSE(check.running());
  ASSERT_TRUE(settle(*explorer));
  choose("cudnn_sdpa", {});
  EXPECT_NE(why_not_interpreted(explorer->board()).text, "") << "there is no PTX";
}

}  // namespace
}  // namespace tilescope
