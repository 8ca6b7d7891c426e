#include "profiler/gpu/cuda/query_device.hpp"

#include <array>
#include <cmath>
#include <string>

#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"

namespace tilescope::cuda {
namespace {

constexpr std::int64_t threads_per_warp = 32;
constexpr const char* driver_source = "the driver of this machine";

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  TILESCOPE_CUDA_CHECK(DeviceGetAttribute(&value, which, device));
  return value;
}

struct Field {
  const char* name;
  std::int64_t DeviceModel::*member;
  CUdevice_attribute attribute;
};

constexpr std::array fields{
    Field{"sm_count", &DeviceModel::sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    Field{"max_threads_per_block", &DeviceModel::max_threads_per_block,
          CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    Field{"max_threads_per_sm", &DeviceModel::max_threads_per_sm,
          CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    Field{"max_blocks_per_sm", &DeviceModel::max_blocks_per_sm,
          CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    Field{"registers_per_sm", &DeviceModel::registers_per_sm,
          CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    Field{"registers_per_block", &DeviceModel::registers_per_block,
          CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    Field{"shared_bytes_per_sm", &DeviceModel::shared_bytes_per_sm,
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    Field{"shared_bytes_per_block", &DeviceModel::shared_bytes_per_block,
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    Field{"shared_bytes_per_block_optin", &DeviceModel::shared_bytes_per_block_optin,
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    Field{"reserved_shared_bytes_per_block", &DeviceModel::reserved_shared_bytes_per_block,
          CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    Field{"l2_bytes", &DeviceModel::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
};

std::string name_of(CUdevice device) {
  std::array<char, 256> name{};
  TILESCOPE_CUDA_CHECK(DeviceGetName(name.data(), static_cast<int>(name.size()), device));
  return name.data();
}

/// Peak of a double-data-rate bus, when there is no datasheet value. [1e9 B/s]
double dram_gb_per_s(CUdevice device) {
  const double clock_khz = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double bus_bits = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  return 2.0 * clock_khz * 1e3 * bus_bits / 8.0 / 1e9;
}

}  // namespace

DeviceModel query_device(int ordinal, const std::vector<DeviceModel>& tables) {
  CUdevice device = 0;
  TILESCOPE_CUDA_CHECK(DeviceGet(&device, ordinal));
  const std::string driver_name = name_of(device);
  DeviceModel model;
  if (const DeviceModel* table = match_device(tables, driver_name)) {
    model = *table;
  } else {
    model.name = driver_name;
  }
  model.present = true;
  model.ordinal = ordinal;
  model.compute_major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  model.compute_minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  model.arch = arch_name(model.compute_major, model.compute_minor);
  for (const Field& field : fields) {
    model.*field.member = attribute(device, field.attribute);
    model.sources[field.name] = driver_source;
  }
  model.max_warps_per_sm = model.max_threads_per_sm / threads_per_warp;
  model.boost_clock_mhz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;  // The driver returns kHz.
  for (const char* known : {"compute_major", "compute_minor", "max_warps_per_sm", "boost_clock_mhz"}) {
    model.sources[known] = driver_source;
  }
  if (model.dram_gb_per_s == 0) {
    model.dram_gb_per_s = dram_gb_per_s(device);
    model.sources["dram_gb_per_s"] = "derived: 2 x memory clock x bus width of the driver";
  }
  return model;
}

std::vector<DeviceModel> query_devices(const std::vector<DeviceModel>& tables) {
  const int count = Driver::get().device_count();
  std::vector<DeviceModel> devices;
  devices.reserve(static_cast<std::size_t>(count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    devices.push_back(query_device(ordinal, tables));
  }
  return devices;
}

}  // namespace tilescope::cuda
