#pragma once

#include <string>

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// A value without its unit, as a table writes it under a header that has the unit: "57,376", "33.3", "9.241".
std::string format_value(double value, Unit unit);

/// A value with its unit, for sentences and tooltips: "56.0 KiB (57,376 B)", "33.3 %", "9.241 µs".
std::string format_with_unit(double value, Unit unit);

/// The header of a metric's column: "conflicts [%]", "TFLOP/s".
std::string column_header(const Metric& metric);

/// A metric in a list of quantities: "bank conflicts [%]", "shared memory per block [B]".
std::string quantity_words(const Metric& metric);

/// A point's value for a table; "" where the point does not have it.
std::string cell_text(const Metric& metric, const Measurement& point);

/// A point's value with its unit: "33.3 %", "72 per thread"; "" where the point does not have it.
std::string value_words(const Metric& metric, const Measurement& point);

}  // namespace tilescope
