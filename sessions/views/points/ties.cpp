#include "sessions/views/points/ties.hpp"

#include "base/text/format.hpp"

namespace tilescope {

bool are_tied(const Metric& metric, const Measurement& a, const Measurement& b) {
  return metric.is_open == nullptr ? metric.value(a) == metric.value(b) : metric.is_open(a, b);
}

std::string ties_words(std::size_t ties, std::size_t ranked) {
  return format_count(static_cast<std::int64_t>(ties)) + " of " +
         format_count(static_cast<std::int64_t>(ranked)) + " cannot be told from the best";
}

}  // namespace tilescope
