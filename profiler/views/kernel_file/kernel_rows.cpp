#include "profiler/views/kernel_file/kernel_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_spill_lines = 3, max_loops = 3;

std::string lines_of(const std::string& file, std::int64_t first, std::int64_t last) {
  if (first == 0) return "unknown lines";
  return first == last ? fmt::format("{}:{}", file, first) : fmt::format("{}:{}-{}", file, first, last);
}

std::string mix_text(const OpenedKernel& kernel) {
  std::vector<std::pair<std::int64_t, std::string>> pipes;
  pipes.reserve(kernel.mix.size());
  for (const auto& [pipe, count] : kernel.mix) pipes.emplace_back(count, pipe);
  std::ranges::sort(pipes, std::ranges::greater{});
  std::string text;
  for (const auto& [count, pipe] : pipes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pipe, count);
  return text;
}

KernelRow row_of(const OpenedKernel& kernel) {
  KernelRow row;
  row.entry = kernel.name;
  row.name = kernel.demangled;
  row.code = kernel.target;
  row.occupancy = occupancy_cell(kernel);
  if (kernel.occupancy) row.short_occupancy = format_percent(kernel.occupancy->fraction);
  if (const auto& resources = kernel.resources) {
    row.registers = format_count(resources->registers);
    row.shared = format_short_bytes(resources->static_shared_bytes);
    row.spills = format_short_bytes(resources->spill_bytes);
    row.has_spills = resources->spill_bytes > 0;
  }
  if (!kernel.origin.empty()) row.details.push_back(kernel.origin);
  if (kernel.occupancy) row.details.push_back("occupancy: " + row.occupancy);
  std::ranges::move(kernel_details(kernel), std::back_inserter(row.details));
  return row;
}

}  // namespace

std::vector<KernelRow> kernel_rows(const std::vector<OpenedKernel>& kernels) {
  std::vector<KernelRow> rows;
  rows.reserve(kernels.size());
  for (const OpenedKernel& kernel : kernels) rows.push_back(row_of(kernel));
  return rows;
}

std::string occupancy_cell(const OpenedKernel& kernel) {
  if (!kernel.occupancy) return "";
  return fmt::format("{} ({})", format_percent(kernel.occupancy->fraction), limiter_words(*kernel.occupancy));
}

std::vector<std::string> kernel_details(const OpenedKernel& kernel) {
  std::vector<std::string> details;
  if (!kernel.mix.empty()) details.push_back("instructions of the code by pipe: " + mix_text(kernel));
  if (!kernel.next_cliff.empty()) details.push_back("next step of the occupancy: " + kernel.next_cliff);
  for (std::size_t i = 0; i < std::min(max_spill_lines, kernel.spills.size()); ++i) {
    const SpilledLine& line = kernel.spills[i];
    details.push_back(fmt::format("spills: {} at {}, {} deep in loops", format_bytes(line.bytes),
                                  lines_of(line.file, line.line, line.line), line.loop_depth));
  }
  for (std::size_t i = 0; i < std::min(max_loops, kernel.loops.size()); ++i) {
    const CodeLoop& loop = kernel.loops[i];
    details.push_back(fmt::format("loop: {}, depth {}, {} instructions",
                                  lines_of(loop.file, loop.first_line, loop.last_line), loop.depth,
                                  loop.instructions));
  }
  if (!kernel.problem.empty()) details.push_back(kernel.problem);
  return details;
}

std::string launch_words(const LaunchedPoint& point) {
  const auto size = [](const std::array<std::uint32_t, 3>& sizes) {
    return fmt::format("({}, {}, {})", sizes[0], sizes[1], sizes[2]);
  };
  return fmt::format("grid {}, block {}, {} B of dynamic shared memory", size(point.grid), size(point.block),
                     point.dynamic_shared_bytes);
}

}  // namespace tilescope
