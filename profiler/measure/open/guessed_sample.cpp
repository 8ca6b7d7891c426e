#include "profiler/measure/open/guessed_sample.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilescope {

LaunchSample sample_of(const GuessedLaunch& launch) {
  LaunchSample sample;
  sample.blocks = launch.sample;
  for (const auto& buffer : launch.buffers) {
    if (!buffer || buffer->touched.element_bytes == 0) continue;
    const auto bytes = static_cast<double>(buffer->count * buffer->element.bytes);
    sample.footprint_bytes += bytes;
    if (buffer->touched.is_written) sample.output_bytes += bytes;
    if (buffer->touched.is_read_first) sample.input_bytes += bytes;
  }
  return sample;
}

TouchedParts touched_parts(const GuessedLaunch& launch) {
  TouchedParts parts;
  if (launch.sample.empty()) return parts;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const auto& buffer = launch.buffers[i];
    if (!buffer) continue;
    std::vector<TouchedPart>& of_buffer = parts[launch.parameters[i].name];
    const std::uint64_t start = probe_lead_bytes - buffer->before * buffer->element.bytes;
    for (std::size_t page = 0; page < buffer->touched.pages.size(); ++page) {
      const std::uint64_t end = (page + 1) * probe_page_bytes;
      if (!buffer->touched.pages[page] || end <= start) continue;
      of_buffer.push_back({std::max(page * probe_page_bytes, start) - start, end - start});
    }
  }
  return parts;
}

}  // namespace tilescope
