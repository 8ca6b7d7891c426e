#include "profiler/gpu/doctor/machine.hpp"

#include <cstdlib>

#include "profiler/gpu/cuda/driver.hpp"
#include "profiler/gpu/cuda/query_device.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::optional<std::uintmax_t> free_bytes_at(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(nearest_existing(folder), error);
  if (error) return std::nullopt;
  return space.available;
}

}  // namespace

fs::path nearest_existing(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Machine look_at_machine(const Installation& installation) {
  Machine machine;
  machine.installation = installation;
  if (const char* toolkit = std::getenv("TILESCOPE_CUDA")) machine.toolkit = toolkit;
  if (const char* path = std::getenv("PATH")) machine.path = path;
  machine.free_bytes = free_bytes_at;
  try {
    const cuda::Driver& driver = cuda::Driver::get();
    machine.driver_cuda = driver.cuda_version();
    machine.driver_version = driver.version_text();
    for (const DeviceModel& device : cuda::query_devices({})) machine.gpus.push_back(device.name);
  } catch (const std::exception& error) {
    machine.why_no_driver = error.what();
  }
  return machine;
}

}  // namespace tilescope
