#include "profiler/execution/ptx/tests/hardware/compare_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tilescope::hardware {
namespace {

std::string text_of(Element element, const std::byte* bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, bytes_of(element));
  char text[64];
  std::snprintf(text, sizeof text, "0x%0*llx (%.9g)", static_cast<int>(2 * bytes_of(element)),
                static_cast<unsigned long long>(bits), value_of(element, bytes));
  return text;
}

bool is_close(double here, double gpu, const Tolerance& tolerance) {
  return std::abs(here - gpu) <= tolerance.absolute + tolerance.relative * std::abs(gpu);
}

}  // namespace

RegionComparison compare(const Region& region, std::span<const std::byte> here,
                         std::span<const std::byte> gpu, std::span<const std::size_t> indices) {
  const std::size_t width = bytes_of(region.element);
  RegionComparison result;
  result.compared = std::min(here.size(), gpu.size()) / width;
  for (std::size_t i = 0; i < result.compared; ++i) {
    const std::byte* ours = here.data() + i * width;
    const std::byte* theirs = gpu.data() + i * width;
    if (std::memcmp(ours, theirs, width) == 0) continue;
    const double a = value_of(region.element, ours), b = value_of(region.element, theirs);
    if (std::isnan(a) && std::isnan(b)) continue;
    ++result.unequal;
    if (std::isfinite(a) && std::isfinite(b)) {
      result.worst_absolute = std::max(result.worst_absolute, std::abs(a - b));
      if (b != 0) result.worst_relative = std::max(result.worst_relative, std::abs((a - b) / b));
    }
    const bool exact = region.tolerance.absolute == 0 && region.tolerance.relative == 0;
    if (!exact && is_close(a, b, region.tolerance)) continue;
    if (result.outside++ == 0) {
      result.first_outside = "at " + std::to_string(indices.empty() ? i : indices[i]) + ": " +
                             text_of(region.element, ours) + ", the GPU has " +
                             text_of(region.element, theirs);
    }
  }
  return result;
}

}  // namespace tilescope::hardware
