#include "profiler/explanation/lessons/question.hpp"

#include <gtest/gtest.h>

#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

using Kind = LessonVerdict::Kind;

Measurement point(std::int64_t conflicts) {
  Measurement made;
  made.kernel = "tiled";
  made.parameters = {{"BLOCK_M", std::int64_t{32}}, {"SMEM_LAYOUT", std::string("padded")}};
  made.shape.Sk = 96;
  made.memory.emplace().shared_conflicts = conflicts;
  made.memory->bytes["global_read"] = 1000;
  for (const std::int64_t line : {7, 9}) {
    MemorySite& site = made.memory->sites.emplace_back();
    site.operation = "ld.shared";
    site.tile = "K";
    site.line = line;
    site.conflicts = conflicts / 2;
    site.worst_degree = line;
  }
  return made;
}

LessonQuestion question() {
  LessonQuestion asked;
  asked.id = "q";
  asked.answer = "memory_shared_conflicts";
  asked.sample_wrong = "memory_shared_conflicts + 1";
  asked.unit = "wavefronts";
  asked.of[""] = {};
  asked.wrong = {{"given == 2 * memory_shared_conflicts", "That counts each one twice."}};
  return asked;
}

TEST(LessonFacts, AreTheNumbersOfThePointItsShapeParametersAndSites) {
  const Facts facts = facts_of(point(10));
  EXPECT_EQ(evaluate("memory_shared_conflicts", facts), 10);
  EXPECT_EQ(evaluate("memory_bytes_global_read / Sk", facts), 1000.0 / 96);
  EXPECT_EQ(evaluate("BLOCK_M", facts), 32);
  EXPECT_EQ(evaluate("ld_shared_K_conflicts", facts), 10) << "of both lines";
  EXPECT_EQ(evaluate("ld_shared_K_worst_degree", facts), 9);
}

TEST(LessonFacts, WhatThePointLacksIsNotKnownAndAMisspeltNameIsAnError) {
  const Facts facts = facts_of(point(10));
  EXPECT_THROW(evaluate("latency_p50_us > 3", facts), NotKnownHere);
  EXPECT_THROW(evaluate("memory_shared_conflict", facts), ExpressionError);
}

TEST(LessonQuestions, AreJudgedByWhatWasCounted) {
  const LessonQuestion asked = question();
  const Facts facts = facts_of(asked, {{"", point(1234)}});
  EXPECT_EQ(judge(asked, facts, 1234),
            (LessonVerdict{Kind::right, "Right: 1,234 wavefronts. The program counted the same."}));
  EXPECT_EQ(judge(asked, facts, 2468), (LessonVerdict{Kind::wrong, "Not yet. That counts each one twice."}));
  EXPECT_EQ(judge(asked, facts, 1235).kind, Kind::wrong);
  EXPECT_EQ(judge(asked, facts, wrong_answer(asked, facts)).kind, Kind::wrong);
  // A sample answer is wrong once the program counts something else.
  EXPECT_EQ(judge(asked, facts_of(asked, {{"", point(10)}}), 1234).kind, Kind::wrong);
}

TEST(LessonQuestions, TakeAnswersWithinTheTolerance) {
  LessonQuestion asked = question();
  asked.tolerance = 0.1;
  const Facts facts = facts_of(asked, {{"", point(1000)}});
  EXPECT_EQ(judge(asked, facts, 1100).kind, Kind::right);
  EXPECT_EQ(judge(asked, facts, 1101).kind, Kind::wrong);
  EXPECT_EQ(judge(asked, facts, 899).kind, Kind::wrong);
}

TEST(LessonQuestions, CompareTwoPointsByTheirNames) {
  LessonQuestion asked = question();
  asked.of = {{"a", {}}, {"b", {}}};
  asked.choices = {"A", "B"};
  asked.wrong.clear();
  asked.answer = "a_memory_shared_conflicts > b_memory_shared_conflicts ? 1 : 2";
  EXPECT_EQ(judge(asked, facts_of(asked, {{"a", point(4)}, {"b", point(2)}}), 1).kind, Kind::right);
  EXPECT_EQ(judge(asked, facts_of(asked, {{"a", point(2)}, {"b", point(4)}}), 1).kind, Kind::wrong);
}

TEST(LessonQuestions, WhatIsNotKnownHereIsSaid) {
  LessonQuestion asked = question();
  asked.answer = "latency_p50_us";
  const LessonVerdict verdict = judge(asked, facts_of(asked, {{"", point(1)}}), 3);
  EXPECT_EQ(verdict.kind, Kind::unknown);
  EXPECT_EQ(verdict.text, "This cannot be known here: the point has no 'latency'.");
  Measurement failed;
  failed.kernel = "tiled";
  failed.reason = "It does not compile.";
  EXPECT_EQ(why_no_facts(question(), failed), "tiled: It does not compile.");
  EXPECT_EQ(why_no_facts(question(), point(1)), "");
}

TEST(LessonQuestions, ReadNumbersAsPeopleTypeThem) {
  EXPECT_EQ(number_from("100,992"), 100992);
  EXPECT_EQ(number_from(" 1 024 "), 1024);
  EXPECT_EQ(number_from("0.25"), 0.25);
  EXPECT_EQ(number_from("two"), std::nullopt);
  EXPECT_EQ(number_from(""), std::nullopt);
  EXPECT_EQ(number_from("nan"), std::nullopt);
  EXPECT_EQ(number_from("1,536 KiB", "bytes"), 1572864);
  EXPECT_EQ(number_from("24 B", "bytes"), 24);
  EXPECT_EQ(number_from("0.5 MiB", "bytes"), 524288);
  EXPECT_EQ(number_from("64 times", "times"), 64);
  EXPECT_EQ(number_from("64 KiB", "times"), std::nullopt) << "not what is asked for";
  EXPECT_EQ(number_from("64 lines", "bytes"), std::nullopt);
}

}  // namespace
}  // namespace tilescope
