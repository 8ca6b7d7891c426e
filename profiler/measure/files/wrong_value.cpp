#include "profiler/measure/files/wrong_value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

// JSON text without its quotation marks: nan, 0x0f.
std::string_view bare(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

std::string writer_words(const ComparedElement& element, bool is_known) {
  if (!is_known) return "";
  if (!element.writer) return "; nothing wrote it";
  const ValueWriter& writer = *element.writer;
  const std::string thread =
      fmt::format("thread {} of block ({})", writer.thread, fmt::join(writer.block, ", "));
  std::string words = writer.is_atomic
                          ? fmt::format("; the last atomic on it is by {}, at {}", thread, writer.place)
                          : fmt::format("; {} wrote it last, at {}", thread, writer.place);
  if (writer.blocks > 1) {
    words += fmt::format(", and {} other {} wrote it too", writer.blocks - 1,
                         writer.blocks == 2 ? "block" : "blocks");
  }
  return words;
}

std::string source_words(const ComparedBuffer& compared) {
  if (!compared.formula.empty()) return compared.formula;
  return compared.reference.empty() ? "the expected values" : "those of " + compared.reference;
}

std::string element_words(const ComparedElement& element, bool is_known) {
  std::string words = fmt::format("{} is {} and should be {}", index_words(element), bare(element.value),
                                  bare(element.expected));
  if (element.difference) words += fmt::format(" (difference {:.3g})", *element.difference);
  return words + writer_words(element, is_known);
}

std::string tolerance_words(const ComparedBuffer& compared) {
  const auto part = [](double value, const char* factor) {
    return value > 0 ? fmt::format("{:.3g}{}", value, factor) : "";
  };
  const std::string absolute = part(compared.absolute_tolerance, "");
  const std::string relative = part(compared.relative_tolerance,
                                    compared.formula.empty() ? " * |expected|" : " of the terms' magnitudes");
  if (absolute.empty() && relative.empty()) return "";
  return " by more than " + absolute + (absolute.empty() || relative.empty() ? "" : " + ") + relative;
}

void add_writer(Finding& finding, const ComparedElement& element) {
  if (!element.writer) return;
  const ValueWriter& writer = *element.writer;
  if (writer.line > 0 && std::ranges::find(finding.lines, writer.line) == finding.lines.end())
    finding.lines.push_back(writer.line);
  if (!finding.block.empty()) return;
  finding.block = {writer.block[0], writer.block[1], writer.block[2]};
  finding.threads.push_back(writer.thread);
}

}  // namespace

std::string index_words(const ComparedElement& element) {
  if (element.position.empty()) return fmt::format("[{}]", element.index);
  return fmt::format("[{}] (element {})", fmt::join(element.position, ", "), element.index);
}

Finding wrong_value_finding(const ComparedBuffer& compared, const std::string& buffer,
                            std::uint64_t address) {
  const bool is_known = compared.unwritten.has_value();
  Finding finding;
  finding.kind = "wrong_value";
  finding.text = fmt::format("{} of {} elements of '{}' {} from {}{}. First, {}",
                             format_count(static_cast<std::int64_t>(compared.wrong)),
                             format_count(static_cast<std::int64_t>(compared.elements)), buffer,
                             compared.wrong == 1 ? "differs" : "differ", source_words(compared),
                             tolerance_words(compared), element_words(*compared.first, is_known));
  add_writer(finding, *compared.first);
  if (compared.largest && compared.largest->index != compared.first->index) {
    finding.text += ". The largest difference: " + element_words(*compared.largest, is_known);
    add_writer(finding, *compared.largest);
  }
  if (!is_known) {
    finding.text +=
        ". Which instructions wrote them is not known: the second run, which looks for them, did not "
        "end in time; --time-limit allows more";
  } else if (*compared.unwritten > 0 && compared.wrong > 1) {
    finding.text += fmt::format(". Nothing wrote {} of them",
                                format_count(static_cast<std::int64_t>(*compared.unwritten)));
  }
  finding.addresses.push_back(static_cast<std::int64_t>(address));
  finding.occurrences = static_cast<std::int64_t>(compared.wrong);
  return finding;
}

}  // namespace tilescope
