#include "profiler/execution/memory/unwritten_output.hpp"

#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/execution/memory/grid_races.hpp"

namespace tilescope {

void add_unwritten_output(std::span<const GlobalChecker* const> checkers,
                          std::span<const GivenBuffer> buffers, Traced& traced) {
  for (const GivenBuffer& buffer : buffers) {
    const auto found = unwritten_elements(checkers, buffer.address, buffer.bytes, buffer.element_bytes);
    if (!found || found->count == 0) continue;
    const std::string text =
        fmt::format("no thread wrote {} of {} elements of '{}', the first of them [{}]",
                    format_count(static_cast<std::int64_t>(found->count)),
                    format_count(static_cast<std::int64_t>(found->total)), buffer.name, found->first);
    if (!buffer.is_output) {
      if (found->count < found->total) traced.check_notes.push_back("In this launch " + text + ".");
      continue;
    }
    Finding finding;
    finding.kind = "unwritten_output";
    finding.text = text + ": check the index, the grid and the bounds test before the store";
    finding.addresses.push_back(
        static_cast<std::int64_t>(buffer.address + found->first * buffer.element_bytes));
    finding.occurrences = static_cast<std::int64_t>(found->count);
    traced.findings.push_back(std::move(finding));
  }
}

}  // namespace tilescope
