#include "sessions/metrics/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace tilescope {
namespace {

/// Inside a function, so that it is there before the first registration, whatever the order of the files.
std::vector<Metric>& registered() {
  static std::vector<Metric> metrics;
  return metrics;
}

void check(const Metric& metric) {
  for (const Metric& other : registered()) {
    if (other.tag != metric.tag) continue;
    throw std::logic_error("two metrics have the tag '" + metric.tag + "': \"" + other.name + "\" and \"" +
                           metric.name + "\"");
  }
  const bool named = !metric.tag.empty() && !metric.name.empty() && !metric.description.empty();
  const bool readable = (metric.value == nullptr) != (metric.text == nullptr);
  if (named && readable) return;
  throw std::logic_error("the metric '" + metric.tag +
                         "' needs a tag, a name, a description, and a value or a text");
}

/// The order of static initialisation is the linker's; tables want one that stays.
std::vector<Metric> in_order(std::vector<Metric> metrics) {
  std::sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) {
    return std::tie(a.source, a.place, a.tag) < std::tie(b.source, b.place, b.tag);
  });
  return metrics;
}

}  // namespace

RegisterMetric::RegisterMetric(Metric metric) {
  check(metric);
  registered().push_back(std::move(metric));
}

const std::vector<Metric>& all_metrics() {
  static const std::vector<Metric> metrics = in_order(registered());
  return metrics;
}

const Metric* find_metric(std::string_view tag) {
  const auto& metrics = all_metrics();
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.tag == tag; });
  return found == metrics.end() ? nullptr : &*found;
}

const Metric& metric_of(std::string_view tag) {
  if (const Metric* metric = find_metric(tag)) return *metric;
  throw std::logic_error("there is no metric '" + std::string(tag) + "'");
}

}  // namespace tilescope
