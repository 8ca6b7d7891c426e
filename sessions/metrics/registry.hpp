#pragma once

#include <string_view>
#include <vector>

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// A metric registers itself with one line in its own file:
///   const RegisterMetric register_sectors{{.tag = "sectors", ...}};
/// Throws std::logic_error with both names when two have one tag, and when a record has no name or not exactly one of
/// value and text: the program ends at its start.
struct RegisterMetric {
  explicit RegisterMetric(Metric metric);
};

/// Every metric in the order in which tables and lists show them.
const std::vector<Metric>& all_metrics();

/// nullptr where there is none of that tag, as in settings that another version wrote.
const Metric* find_metric(std::string_view tag);

/// The metric of a tag that the program itself names; throws std::logic_error where there is none.
const Metric& metric_of(std::string_view tag);

}  // namespace tilescope
