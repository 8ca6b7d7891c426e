#include <gtest/gtest.h>

#include <stdexcept>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"
#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;
using test_support::diagnose_sample;

TEST(DiagnosisRules, ThatTryChangesNameAMetric) {
  EXPECT_GE(all_rules().size(), 3U);
  for (const DiagnosisRule& rule : all_rules()) {
    EXPECT_EQ(find_rule(rule.kind), &rule);
    if (rule.tries.empty()) continue;
    ASSERT_NE(find_metric(rule.metric), nullptr) << rule.kind;
    EXPECT_NE(find_metric(rule.metric)->value, nullptr) << rule.kind;
  }
  EXPECT_EQ(find_rule("something newer"), nullptr);
}

TEST(DiagnosisRules, TwoOfOneKindAreRefused) {
  DiagnosisRule again = *find_rule("bank_conflicts");
  EXPECT_THROW(RegisterRule{again}, std::logic_error);
  again.kind = "incomplete";
  again.cost = nullptr;
  EXPECT_THROW(RegisterRule{again}, std::logic_error);
}

TEST(DiagnosisRules, APointKeepsTheDiagnosesThatItCarries) {
  Measurement point = conflicting_point();
  const KernelDeclaration kernel = test_support::sample_kernel();
  EXPECT_EQ(diagnoses_of({point, kernel, nullptr}).size(), 1U) << "made for a point that carries none";
  point.diagnoses.emplace();
  EXPECT_TRUE(diagnoses_of({point, kernel, nullptr}).empty()) << "nothing was found when it was made";
  point.diagnoses->push_back({"dead_knob", Severity::hint, {}, "Nothing reads TILE.", "", ""});
  EXPECT_EQ(diagnoses_of({point, kernel, nullptr}).at(0).kind, "dead_knob");
}

TEST(DiagnosisRules, AreSummedUpByKindInOneLine) {
  const auto diagnosis = [](const char* kind, Severity severity) {
    return Diagnosis{kind, severity, {}, "", "", ""};
  };
  EXPECT_EQ(kinds_line({}), "");
  EXPECT_EQ(kinds_line({diagnosis("race", Severity::fault), diagnosis("race", Severity::fault),
                        diagnosis("out_of_bounds", Severity::fault), diagnosis("tail", Severity::cost),
                        diagnosis("narrow_loads", Severity::hint)}),
            "Fault: race, out of bounds. Cost: tail. Hint: narrow loads.");
}

TEST(UncoalescedRule, NamesSectorsAgainstTheMinimum) {
  Measurement point = conflicting_point();
  MemoryCounts& memory = *point.memory;
  memory.shared_conflicts = 0;
  memory.global_sectors = 25000000;
  memory.global_sectors_minimum = 17000000;
  MemorySite& site = memory.sites[0];
  site.operation = "ld.global";
  site.executions = 500000;
  site.wavefronts = 16000000;
  site.minimum = 8000000;
  site.conflicts = 8000000;
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "uncoalesced");
  EXPECT_EQ(found[0].text,
            "Uncoalesced loads of K (line 84): 8.00 M of 25.0 M global-memory sectors are excess.");
  EXPECT_EQ(found[0].evidence,
            "ld.global of 16 B per lane, 500,000 requests: 32.0 sectors per request, minimum 16.0.");
  site.conflicts = 2000000;
  EXPECT_TRUE(diagnose_sample(point).empty()) << "8 % of the sectors";
}

TEST(SpillsRule, SaysHowManyBytes) {
  Measurement point = conflicting_point();
  point.memory.reset();
  EXPECT_TRUE(diagnose_sample(point).empty());
  point.resources->spill_bytes = 512;
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "Registers spill to local memory: 512 B of stores and loads per thread.");
}

}  // namespace
}  // namespace tilescope
