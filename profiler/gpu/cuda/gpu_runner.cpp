#include "profiler/gpu/cuda/gpu_runner.hpp"

namespace tilescope::cuda {

std::string arch_name(int compute_major, int compute_minor) {
  const bool hopper = compute_major == 9 && compute_minor == 0;
  return "sm_" + std::to_string(compute_major) + std::to_string(compute_minor) + (hopper ? "a" : "");
}

std::vector<void*> KernelArguments::pointers() const {
  std::vector<void*> list;
  list.reserve(arguments_.size());
  // The driver only reads through these pointers.
  for (const std::vector<std::byte>& argument : arguments_)
    list.push_back(const_cast<std::byte*>(argument.data()));
  return list;
}

LoadedKernel::LoadedKernel(std::span<const char> cubin, const std::string& entry)
    : module_(cubin), function_(module_.function(entry)) {}

int LoadedKernel::attribute(CUfunction_attribute attribute) const {
  int value = 0;
  TILESCOPE_CUDA_CHECK(FuncGetAttribute(&value, attribute, function_));
  return value;
}

void LoadedKernel::allow_dynamic_shared(std::size_t bytes) {
  TILESCOPE_CUDA_CHECK(
      FuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)));
}

int LoadedKernel::blocks_per_sm(const LaunchGeometry& geometry) const {
  int blocks = 0;
  TILESCOPE_CUDA_CHECK(
      OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, static_cast<int>(geometry.threads),
                                                static_cast<std::size_t>(geometry.dynamic_shared_bytes)));
  return blocks;
}

GpuRunner::GpuRunner(int ordinal) : ordinal_(ordinal), context_(ordinal) {}

std::string GpuRunner::arch() const {
  const int major = context_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = context_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return arch_name(major, minor);
}

std::size_t GpuRunner::l2_bytes() const {
  return static_cast<std::size_t>(context_.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
}

double GpuRunner::default_sm_clock_mhz() const {
  return context_.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
}

DeviceBuffer GpuRunner::upload(std::span<const std::byte> bytes) const {
  DeviceBuffer buffer(bytes.size());
  buffer.upload(bytes, stream_);
  return buffer;
}

std::vector<std::byte> GpuRunner::download(const DeviceBuffer& buffer) const {
  std::vector<std::byte> bytes(buffer.bytes());
  buffer.download(bytes, stream_);
  return bytes;
}

void GpuRunner::launch(const LoadedKernel& kernel, const LaunchGeometry& geometry,
                       const KernelArguments& arguments) const {
  std::vector<void*> pointers = arguments.pointers();
  TILESCOPE_CUDA_CHECK(LaunchKernel(
      kernel.function(), static_cast<unsigned>(geometry.grid_x), static_cast<unsigned>(geometry.grid_y),
      static_cast<unsigned>(geometry.grid_z), static_cast<unsigned>(geometry.threads), 1, 1,
      static_cast<unsigned>(geometry.dynamic_shared_bytes), stream_.get(), pointers.data(), nullptr));
}

}  // namespace tilescope::cuda
