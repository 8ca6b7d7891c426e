#include "profiler/measure/open/block_search.hpp"

#include <cmath>
#include <limits>

namespace tilescope {
namespace {

constexpr double tolerance = 0.02;

double distance_of(const TriedBlock& tried) {
  constexpr double not_known = 1e3, fault = 1e6;
  const double distance = tried.stores_per_byte > 0 ? std::abs(std::log(tried.stores_per_byte)) : not_known;
  return distance + (tried.has_fault ? fault : 0);
}

}  // namespace

std::vector<simt::Dimensions> usual_blocks(bool reads_thread_y, std::uint32_t most_threads) {
  const std::vector<simt::Dimensions> all =
      reads_thread_y
          ? std::vector<simt::Dimensions>{{16, 16, 1}, {32, 32, 1}, {32, 8, 1}, {32, 4, 1}, {8, 8, 1}}
          : std::vector<simt::Dimensions>{{256, 1, 1},  {128, 1, 1}, {512, 1, 1},
                                          {1024, 1, 1}, {64, 1, 1},  {32, 1, 1}};
  std::vector<simt::Dimensions> sizes;
  for (const simt::Dimensions& size : all)
    if (size.count() <= most_threads) sizes.push_back(size);
  if (sizes.empty()) sizes.push_back({most_threads, 1, 1});
  return sizes;
}

FoundBlock find_block(const std::vector<simt::Dimensions>& sizes,
                      const std::function<TriedBlock(const simt::Dimensions&)>& try_block) {
  FoundBlock found;
  double least = std::numeric_limits<double>::infinity();
  for (const simt::Dimensions& size : sizes) {
    const double distance = distance_of(try_block(size));
    if (distance >= least) continue;
    least = distance;
    found = {size, distance < tolerance};
    if (found.stores_all_once) break;
  }
  return found;
}

}  // namespace tilescope
