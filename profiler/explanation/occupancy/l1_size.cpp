#include "profiler/explanation/occupancy/l1_size.hpp"

#include <algorithm>
#include <span>

namespace tilescope {
namespace {

constexpr double kibibyte = 1024;

// An SM's memory is divided between L1 and shared memory in steps (CUDA C++ Programming Guide 13.0, "Shared Memory" of
// compute capability 8.x and 9.0). The driver takes the smallest step that holds the resident blocks: assumed.
struct DividedMemory {
  int architecture;
  double all_kib;
  std::span<const int> shared_kib;
};
constexpr int steps_8_0[] = {0, 8, 16, 32, 64, 100, 132, 164};
constexpr int steps_8_9[] = {0, 8, 16, 32, 64, 100};
constexpr int steps_9_0[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr DividedMemory divided[] = {
    {80, 192, steps_8_0}, {86, 128, steps_8_9}, {89, 128, steps_8_9}, {90, 256, steps_9_0}};

}  // namespace

double l1_bytes(const DeviceModel& device, const Resources& resources, std::int64_t dynamic_shared_bytes,
                std::int64_t resident) {
  const auto shared = static_cast<double>(
      (resources.static_shared_bytes + dynamic_shared_bytes + device.reserved_shared_bytes_per_block) *
      resident);
  const int architecture = 10 * device.compute_major + device.compute_minor;
  const DividedMemory* memory = &divided[0];
  for (const DividedMemory& one : divided) {
    if (one.architecture <= architecture) memory = &one;
  }
  const auto step = std::ranges::find_if(
      memory->shared_kib, [&](int kib) { return static_cast<double>(kib) * kibibyte >= shared; });
  const int taken = step == memory->shared_kib.end() ? memory->shared_kib.back() : *step;
  return (memory->all_kib - static_cast<double>(taken)) * kibibyte;
}

}  // namespace tilescope
