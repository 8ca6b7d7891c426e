#include "profiler/explanation/tries/tries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"
#include "sessions/views/points/tries_text.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;
using test_support::sample_device;
using test_support::sample_kernel;

SharedMeasurement share(Measurement point) {
  return std::make_shared<const Measurement>(std::move(point));
}

Measurement predicted(double p50_us, const std::string& code = "abc") {
  Measurement point = conflicting_point();
  point.prediction = Prediction{p50_us, p50_us / 2, p50_us * 2, {}, "", "", {}};
  point.resources->sass_sha256 = code;
  return point;
}

Measurement without_diagnoses(double p50_us) {
  Measurement point = predicted(p50_us);
  point.diagnoses.emplace();
  return point;
}

Measurement failed(Status status) {
  Measurement point = predicted(1);
  point.status = status;
  return point;
}

class TriesOfSample : public testing::Test {
 protected:
  Tries of(const Measurement& point) { return {share(point), kernel, &device}; }
  static std::vector<std::string> names(const Tries& tries) {
    std::vector<std::string> words;
    for (const Try& each : tries.list()) words.push_back(to_string(each.change));
    return words;
  }
  /// Each change that has no figure of its own takes 100 µs, with code of its own.
  static void take_all(Tries& tries, const std::map<std::string, double>& p50_us) {
    while (const ParameterChange* next = tries.next()) {
      const ParameterChange change = *next;
      const auto known = p50_us.find(to_string(change));
      tries.take(change, share(predicted(known == p50_us.end() ? 100 : known->second, to_string(change))));
    }
  }

  KernelDeclaration kernel = sample_kernel();
  DeviceModel device = sample_device();
};

TEST_F(TriesOfSample, WhatMayRepairTheDiagnosisComesFirst) {
  EXPECT_EQ(names(of(predicted(100))),
            (std::vector<std::string>{"K_PAD=8", "ASYNC=1", "ORDER=columns", "TILE=32", "TILE=8"}))
      << "K_PAD=4 is refused by a constraint";
  EXPECT_EQ(names(of(without_diagnoses(100))),
            (std::vector<std::string>{"TILE=32", "TILE=8", "ASYNC=1", "ORDER=columns", "K_PAD=8"}));
}

TEST_F(TriesOfSample, AreThoseOfACorrectPointWithALatency) {
  EXPECT_EQ(of(conflicting_point()).next(), nullptr) << "neither measured nor predicted";
  EXPECT_EQ(of(failed(Status::wrong_result)).next(), nullptr);
  EXPECT_EQ(Tries().next(), nullptr);
}

TEST_F(TriesOfSample, AreJudgedByTheLatencyAlone) {
  Tries tries = of(predicted(100));
  Measurement without_conflicts = predicted(110, "other");
  without_conflicts.memory->shared_conflicts = 0;
  tries.take({"K_PAD", std::int64_t{8}}, share(without_conflicts));
  tries.take({"ASYNC", std::int64_t{1}}, share(predicted(50, "third")));
  const std::vector<TriedChange> records = tries.records();
  EXPECT_EQ(records[0], (TriedChange{"K_PAD", std::int64_t{8}, 110, Status::ok}));
  EXPECT_FALSE(gains(predicted(100), records[0]));
  EXPECT_EQ(records[1], (TriedChange{"ASYNC", std::int64_t{1}, 50, Status::ok}));
  EXPECT_EQ(records[2], (TriedChange{"ORDER", std::string("columns")})) << "not tried yet";
  EXPECT_EQ(tries.tried(), 2U);
}

TEST_F(TriesOfSample, EqualCodeIsTheSameProgramWhereTheLaunchIsTheSame) {
  Tries tries = of(predicted(100));
  tries.take({"ASYNC", std::int64_t{1}}, share(predicted(50)));
  EXPECT_TRUE(tries.list()[1].is_same_code);
  EXPECT_FALSE(gains(predicted(100), tries.records()[1]));

  kernel.threads = "TILE * 2";
  Tries of_threads = of(predicted(100));
  of_threads.take({"TILE", std::int64_t{32}}, share(predicted(50)));
  EXPECT_FALSE(of_threads.list()[3].is_same_code) << "64 threads instead of 32";
  EXPECT_TRUE(gains(predicted(100), of_threads.records()[3]));
}

TEST_F(TriesOfSample, ANumberThatGainsIsFollowedFurther) {
  Tries tries = of(without_diagnoses(100));
  take_all(tries, {{"TILE=32", 80}, {"TILE=64", 70}, {"TILE=8", 120}});
  EXPECT_EQ(names(tries), (std::vector<std::string>{"TILE=32", "TILE=8", "ASYNC=1", "ORDER=columns",
                                                    "K_PAD=8", "TILE=64"}));
  Tries stays = of(without_diagnoses(100));
  take_all(stays, {{"TILE=32", 99}});
  EXPECT_EQ(stays.list().size(), 5U) << "1 % is no gain";
}

TEST_F(TriesOfSample, AStepThatGainsLessThanAnotherIsNotFollowed) {
  kernel.parameters[0].values = {std::int64_t{2},  std::int64_t{4},  std::int64_t{8},  std::int64_t{16},
                                 std::int64_t{32}, std::int64_t{64}, std::int64_t{128}};
  Tries tries = of(without_diagnoses(100));
  take_all(tries, {{"TILE=32", 80}, {"TILE=64", 85}, {"TILE=8", 90}});
  const std::vector<std::string> all = names(tries);
  EXPECT_EQ(all.back(), "TILE=64");
  EXPECT_EQ(std::ranges::count(all, "TILE=128"), 0) << "64 takes longer than 32";
  EXPECT_EQ(std::ranges::count(all, "TILE=4"), 0) << "8 takes longer than 32";
}

TEST_F(TriesOfSample, AStepSkipsWhatIsInvalid) {
  kernel.constraints.push_back({"TILE != 32", "no tiles of 32"});
  EXPECT_EQ(names(of(without_diagnoses(100))).front(), "TILE=64");
}

TEST_F(TriesOfSample, NoMoreThanTheLimitAreTried) {
  kernel.parameters[3].values = {std::int64_t{0}};
  for (std::int64_t pad = 1; pad <= 30; ++pad) kernel.parameters[3].values.emplace_back(8 * pad);
  Tries tries = of(predicted(100));
  EXPECT_EQ(tries.list().size(), 34U);
  take_all(tries, {});
  EXPECT_EQ(tries.tried(), max_tries);
  EXPECT_EQ(tries.next(), nullptr);
  EXPECT_FALSE(tries.records().back().status.has_value()) << "left out";
}

TEST_F(TriesOfSample, AFailureOfTheKernelIsAResultAndOneOfTheMachineEndsIt) {
  Tries tries = of(predicted(100));
  tries.take({"K_PAD", std::int64_t{8}}, share(failed(Status::compile_failed)));
  EXPECT_EQ(tries.records()[0].status, Status::compile_failed);
  ASSERT_NE(tries.next(), nullptr);
  tries.take({"ASYNC", std::int64_t{1}}, share(failed(Status::cancelled)));
  EXPECT_EQ(to_string(*tries.next()), "ASYNC=1") << "it says nothing of the change";
  tries.take({"ASYNC", std::int64_t{1}}, share(failed(Status::worker_lost)));
  EXPECT_EQ(tries.next(), nullptr);
}

}  // namespace
}  // namespace tilescope
