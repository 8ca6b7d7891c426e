#include "sessions/metrics/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

std::string complaint_of(Metric metric) {
  try {
    const RegisterMetric registration(std::move(metric));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "accepted";
}

Metric sound_metric() {
  return {.tag = "sound",
          .name = "sound metric",
          .description = "Has all that a metric needs",
          .value = [](const Measurement&) -> std::optional<double> { return 1; }};
}

TEST(Metrics, AreFoundByTheirTags) {
  ASSERT_NE(find_metric("bank_conflicts"), nullptr);
  EXPECT_EQ(find_metric("bank_conflicts")->name, "bank conflicts");
  EXPECT_EQ(&metric_of("bank_conflicts"), find_metric("bank_conflicts"));
  EXPECT_EQ(find_metric("of_another_version"), nullptr);
  EXPECT_THROW(metric_of("of_another_version"), std::logic_error);
}

TEST(Metrics, StandInTheOrderOfTheirSourcesAndPlaces) {
  const auto& metrics = all_metrics();
  const auto in_order = [](const Metric& a, const Metric& b) {
    return a.source < b.source || (a.source == b.source && a.place <= b.place);
  };
  for (std::size_t i = 1; i < metrics.size(); ++i) {
    EXPECT_TRUE(in_order(metrics[i - 1], metrics[i])) << metrics[i - 1].tag << ", " << metrics[i].tag;
  }
  EXPECT_EQ(metrics.front().tag, "p50");
}

TEST(Metrics, TwoWithOneTagAreNamed) {
  Metric twin = sound_metric();
  twin.tag = "p50";
  EXPECT_EQ(complaint_of(twin), "two metrics have the tag 'p50': \"latency p50\" and \"sound metric\"");
}

TEST(Metrics, AnIncompleteRecordIsRefused) {
  const auto without = [](auto change) {
    Metric metric = sound_metric();
    change(metric);
    return complaint_of(metric);
  };
  for (const std::string& complaint :
       {without([](Metric& metric) { metric.tag = ""; }), without([](Metric& metric) { metric.name = ""; }),
        without([](Metric& metric) { metric.description = ""; }),
        without([](Metric& metric) { metric.value = nullptr; }),
        without([](Metric& metric) { metric.text = [](const Measurement&) { return std::string(); }; })}) {
    EXPECT_NE(complaint.find("needs a tag, a name, a description"), std::string::npos) << complaint;
  }
}

TEST(Metrics, EachCanBeShownByItsRecord) {
  const Measurement full = sample::full_measurement();
  for (const Metric& metric : all_metrics()) {
    const bool plain = std::all_of(metric.tag.begin(), metric.tag.end(), [](char letter) {
      return letter == '_' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    });
    EXPECT_TRUE(plain) << metric.tag;
    EXPECT_FALSE(metric.widest.empty()) << metric.tag;
    EXPECT_FALSE(metric.description.ends_with('.')) << metric.tag;
    const bool read = metric.value ? metric.value(full).has_value() : !metric.text(full).empty();
    EXPECT_TRUE(read) << metric.tag << " does not read a point that has everything";
    const bool invented =
        metric.value ? metric.value(Measurement{}).has_value() : !metric.text(Measurement{}).empty();
    EXPECT_FALSE(invented) << metric.tag << " reads a point that has nothing";
  }
}

}  // namespace
}  // namespace tilescope
