#include "app/commands/compared_text.hpp"

#include <fmt/format.h>

#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/text/format.hpp"
#include "profiler/measure/files/wrong_value.hpp"

namespace tilescope {
namespace {

std::string right_words(const ComparedBuffer& compared) {
  const std::string count = format_count(static_cast<std::int64_t>(compared.elements));
  if (!compared.largest || !compared.largest->difference)
    return count + " elements equal the expected values";
  return fmt::format("{} elements match the expected values: the largest difference is {:.3g}, at {}", count,
                     *compared.largest->difference, index_words(*compared.largest));
}

}  // namespace

std::string compared_text(const LaunchedPoint& point) {
  std::string text;
  for (const ComparedBuffer& compared : point.compared) {
    const std::string words = compared.wrong == 0
                                  ? right_words(compared)
                                  : fmt::format("{} of {} elements {} from the expected values",
                                                format_count(static_cast<std::int64_t>(compared.wrong)),
                                                format_count(static_cast<std::int64_t>(compared.elements)),
                                                compared.wrong == 1 ? "differs" : "differ");
    const std::string& source = compared.formula.empty() ? compared.reference : compared.formula;
    text +=
        prose(shown_line(compared.name) + ": " + words + (source.empty() ? "" : " of " + shown_line(source)),
              2) +
        "\n";
  }
  return text;
}

}  // namespace tilescope
