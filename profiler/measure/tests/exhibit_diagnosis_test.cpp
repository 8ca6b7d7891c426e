#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/parameter_effects.hpp"

namespace tilescope {
namespace {

// Every exhibit's fault is named before all that saves less, by the kind that its card says, and nothing is a fault without
// it.
class ExhibitDiagnoses : public test_support::ServiceTest {
 protected:
  ExhibitDiagnoses() : service(make_measure_service(installation)) {
    experiment.device = "L4";
    experiment.shape = Shape{1, 8, 8, 256, 256, 64, DataType::fp16, false};
  }
  Measurement measured() {
    return test_support::ask<Measure>(service, {experiment, false, true, true}, control);
  }
  Measurement traced() {
    return test_support::ask<CountKernel>(service, {experiment, {}, true, true}, control);
  }

  static std::string kinds(const Measurement& point) {
    std::string text = to_string(point.status);
    for (const Diagnosis& diagnosis : point.diagnoses.value_or(std::vector<Diagnosis>()))
      text += "\n" + to_string(diagnosis.severity) + " " + diagnosis.kind + ": " + diagnosis.text;
    return text;
  }
  static constexpr int rank_of_major = 1;
  static bool has_fault(const Measurement& point) {
    const auto& diagnoses = point.diagnoses;
    return diagnoses && std::ranges::any_of(*diagnoses, [](const Diagnosis& diagnosis) {
             return rank_of(diagnosis) <= rank_of_major;
           });
  }
  // Kind of the first major diagnosis. Others may stand before it where they save more than it does.
  static std::string first_major(const Measurement& point) {
    const std::vector<Diagnosis>& all = *point.diagnoses;
    const auto major =
        std::ranges::find_if(all, [](const Diagnosis& one) { return rank_of(one) <= rank_of_major; });
    if (major == all.end()) return "none";
    for (auto before = all.begin(); before != major; ++before) {
      const bool saves_more = before->saving && major->saving && before->saving->us > major->saving->us;
      if (!saves_more) return "behind " + before->kind + ", which saves less: " + major->kind;
    }
    return major->kind;
  }
  static const Diagnosis* find(const Measurement& point, const std::string& kind, const std::string& start) {
    if (!point.diagnoses) return nullptr;
    for (const Diagnosis& diagnosis : *point.diagnoses) {
      if (diagnosis.kind == kind && diagnosis.text.starts_with(start)) return &diagnosis;
    }
    return nullptr;
  }

  Service service;
};

TEST_F(ExhibitDiagnoses, ComeFirstWithTheFaultAndNoFaultIsSeenWithoutIt) {
  int exhibits = 0;
  const Catalogue catalogue(installation.kernels);
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (!kernel.card) continue;
    ++exhibits;
    ASSERT_NE(kernel.card->diagnosis, "") << kernel.name;
    experiment.kernel = kernel.name;
    for (const bool traces : {false, true}) {
      experiment.parameters = {{"FAULT", std::string("on")}};
      const Measurement faulty = traces ? traced() : measured();
      ASSERT_TRUE(faulty.diagnoses && !faulty.diagnoses->empty()) << kernel.name << " " << kinds(faulty);
      EXPECT_EQ(first_major(faulty), kernel.card->diagnosis) << kernel.name << " " << kinds(faulty);
      experiment.parameters = {{"FAULT", std::string("off")}};
      const Measurement clean = traces ? traced() : measured();
      EXPECT_EQ(clean.status, Status::ok) << kernel.name << " " << clean.reason;
      EXPECT_TRUE(clean.diagnoses.has_value()) << kernel.name;
      EXPECT_FALSE(has_fault(clean)) << kernel.name << " " << kinds(clean);
    }
  }
  EXPECT_EQ(exhibits, 13);
}

// Most SMs are idle at this shape: a quarter more than what they would save is all of the time.
TEST_F(ExhibitDiagnoses, NoSavingReachesTheWholeTime) {
  experiment.shape = Shape{1, 1, 1, 128, 128, 64, DataType::fp16, false};
  const Catalogue catalogue(installation.kernels);
  int savings = 0;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.role != KernelRole::exhibit && kernel.role != KernelRole::rung) continue;
    experiment.kernel = kernel.name;
    experiment.parameters = {};
    const Measurement point = measured();
    if (!point.prediction || !point.diagnoses) continue;
    for (const Diagnosis& diagnosis : *point.diagnoses) {
      if (!diagnosis.saving) continue;
      ++savings;
      EXPECT_LT(diagnosis.saving->high_us, 0.97 * point.prediction->p50_us)
          << kernel.name << " " << diagnosis.kind;
      EXPECT_LE(diagnosis.saving->us, diagnosis.saving->high_us) << kernel.name << " " << diagnosis.kind;
    }
  }
  EXPECT_GT(savings, 10);
}

TEST_F(ExhibitDiagnoses, AParameterOfTheLaunchAloneIsNotDead) {
  std::ifstream stream(installation.kernels / "exhibits/dead_knob.cu");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace("{\"name\": \"VEC_WIDTH\"",
          "{\"name\": \"UNUSED\", \"values\": [0, 1], \"default\": 0, \"help\": \"h\"},\n"
          "    {\"name\": \"MORE_SHARED\", \"values\": [0, 64], \"default\": 0, \"help\": \"h\"},\n"
          "    {\"name\": \"VEC_WIDTH\"");
  replace("\"dynamic_shared_bytes\": \"", "\"dynamic_shared_bytes\": \"MORE_SHARED + ");
  experiment.kernel = write("knobs.cu", text).string();
  const Measurement point = measured();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  const Diagnosis* unused = find(point, "dead_knob", "UNUSED has no effect");
  ASSERT_NE(unused, nullptr) << kinds(point);
  EXPECT_EQ(unused->severity, Severity::hint);
  EXPECT_TRUE(unused->is_major);
  EXPECT_EQ(find(point, "dead_knob", "MORE_SHARED"), nullptr) << kinds(point);
  EXPECT_EQ(find(point, "dead_knob", "VEC_WIDTH"), nullptr) << kinds(point);
  const Diagnosis* fault = find(point, "dead_knob", "FAULT = on makes the same program");
  ASSERT_NE(fault, nullptr) << "with VEC_WIDTH = 8, which the fault fixes: " << kinds(point);
  EXPECT_EQ(fault->severity, Severity::hint);
  EXPECT_FALSE(fault->is_major);
}

TEST_F(ExhibitDiagnoses, ParametersWithoutEffectAreFoundWithoutRunning) {
  experiment.kernel = "dead_knob";
  experiment.parameters = {{"FAULT", std::string("on")}};
  const auto found = test_support::ask<ParameterEffects>(service, {experiment}, control);
  ASSERT_EQ(found.status, Status::ok) << found.reason;
  Measurement point = measured();
  std::erase_if(*point.diagnoses, [](const Diagnosis& one) { return one.kind != "dead_knob"; });
  EXPECT_EQ(with_more({}, found.diagnoses), point.diagnoses);
  EXPECT_NE(find(point, "dead_knob", "VEC_WIDTH has no effect"), nullptr) << kinds(point);
  experiment.parameters["FAULT"] = std::string("off");
  for (const Diagnosis& one : test_support::ask<ParameterEffects>(service, {experiment}, control).diagnoses)
    EXPECT_FALSE(one.is_major) << one.text;
  control.cancelled = [] { return true; };
  EXPECT_EQ(test_support::ask<ParameterEffects>(service, {experiment}, control).status, Status::cancelled);
}

TEST_F(ExhibitDiagnoses, ASweepNamesPointsWithTheSameCode) {
  experiment.kernel = "dead_knob";
  experiment.parameters = {{"FAULT", std::string("on")}, {"VEC_WIDTH", std::int64_t{8}}};
  EXPECT_EQ(find(measure(service), "equal_machine_code", ""), nullptr) << "nothing else was there yet";
  EXPECT_EQ(find(measure(service), "equal_machine_code", ""), nullptr) << "the same point again";
  experiment.parameters["VEC_WIDTH"] = std::int64_t{4};
  const Measurement same = measure(service);
  ASSERT_NE(find(same, "equal_machine_code", ""), nullptr);
  EXPECT_EQ(find(same, "equal_machine_code", "")->text, "The same program as dead_knob with VEC_WIDTH=8.");
  EXPECT_EQ(find(same, "dead_knob", ""), nullptr) << "no variants were asked for";
  experiment.parameters["FAULT"] = std::string("off");
  EXPECT_EQ(find(measure(service), "equal_machine_code", ""), nullptr);
}

}  // namespace
}  // namespace tilescope
