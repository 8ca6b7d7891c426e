#include "sessions/reports/junit.hpp"

#include "base/text/html.hpp"
#include "base/text/visible_text.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

/// The value of an attribute. XML 1.0 has no form for most control characters, nor for U+FFFE and lone surrogates: one
/// of them would make the file unreadable.
std::string attribute(const std::string& text) {
  return html_escaped(visible_text(text));
}

std::string result_element(const GatedPoint& point) {
  const auto element = [](const char* name, const std::string& message) {
    return std::string("      <") + name + " message=\"" + attribute(message) + "\"/>\n";
  };
  const Comparison& comparison = point.comparison;
  if (point.outcome == GateOutcome::regressed || point.outcome == GateOutcome::broken)
    return element("failure", verdict_sentence(comparison) + " " + comparison.reason);
  if (point.outcome == GateOutcome::cannot_decide) return element("error", point.why_not_decided);
  return "";
}

}  // namespace

std::string junit_xml(const GateReport& report, const std::string& name) {
  const std::size_t failures = report.count(GateOutcome::regressed) + report.count(GateOutcome::broken);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" +
                     attribute(name) + "\" tests=\"" + std::to_string(report.points.size()) +
                     "\" failures=\"" + std::to_string(failures) + "\" errors=\"" +
                     std::to_string(report.count(GateOutcome::cannot_decide)) + "\">\n";
  for (const GatedPoint& point : report.points) {
    const Measurement& current = point.comparison.b;
    text += "    <testcase classname=\"" + attribute(current.kernel) + "\" name=\"" +
            attribute(experiment_name(current)) + "\"";
    const std::string result = result_element(point);
    text += result.empty() ? "/>\n" : ">\n" + result + "    </testcase>\n";
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tilescope
