#include "profiler/measure/gpu/gpu_sequence.hpp"

#include <cmath>
#include <cstdio>

namespace tilescope {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string describe_error(const reference::Comparison& comparison, const Shape& shape, const char* when) {
  const std::int64_t query = comparison.worst_row % shape.Sq,
                     head = comparison.worst_row / shape.Sq % shape.Hq;
  const std::int64_t batch = comparison.worst_row / (shape.Sq * shape.Hq);
  const std::string size = std::isnan(comparison.max_abs)
                               ? "the result is NaN"
                               : "the largest error is " + short_number(comparison.max_abs);
  return size + " at batch " + std::to_string(batch) + ", head " + std::to_string(head) + ", query " +
         std::to_string(query) + ", column " + std::to_string(comparison.worst_column) + " (" + when +
         "); the tolerance against float64 is " + short_number(comparison.tolerance);
}

void add_throughput(Latency& latency, const Shape& shape, KernelResult result) {
  Shape whole = shape;
  whole.causal = false;
  double flops = attention_flops(shape);
  latency.tflops_formula = shape.causal ? "4*B*Hq*Sq*Sk*D / 2 / p50" : "4*B*Hq*Sq*Sk*D / p50";
  if (result == KernelResult::scores) {
    flops = attention_flops(whole) / 2;
    latency.tflops_formula = "2*B*Hq*Sq*Sk*D / p50";
  }
  if (latency.p50_us > 0) latency.tflops = flops / latency.p50_us * 1e-6;
}

std::string add_check(const ResultCheck& check, const Shape& shape, const char* when,
                      std::optional<Error>& error) {
  const reference::Comparison& comparison = check.comparison;
  const bool is_larger = !error || !(comparison.max_abs <= error->max_abs);
  if (is_larger) error = Error{comparison.max_abs, comparison.max_rel, comparison.tolerance, "gpu", {}, {}};
  // Use the tolerance of the check with the most rows: a few rows may have a smaller error of the plain
  // implementation.
  if (!error->rows_checked || *error->rows_checked <= check.rows_checked) {
    error->tolerance = comparison.tolerance;
    error->rows_checked = check.rows_checked;
    error->rows_total = check.unwritten.total;
  }
  if (check.is_correct()) return "";
  if (check.unwritten.count == 0) return describe_error(comparison, shape, when);
  return describe(check.unwritten, shape) + " (" + when +
         "): they still hold the NaN with which the output was filled";
}

std::string describe_other_occupancy(int driver_blocks, std::int64_t calculated_blocks) {
  return "The driver allows " + std::to_string(driver_blocks) + " blocks per SM, the occupancy calculator " +
         std::to_string(calculated_blocks) + ".";
}

}  // namespace tilescope
