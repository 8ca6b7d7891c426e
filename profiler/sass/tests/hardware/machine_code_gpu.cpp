#include "profiler/sass/tests/hardware/machine_code_gpu.hpp"

#include <array>
#include <cstring>

namespace tilescope::hardware {

std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch) {
  cuda::LoadedKernel kernel(launch.cubin, launch.entry);
  if (launch.dynamic_shared_bytes > 0) kernel.allow_dynamic_shared(launch.dynamic_shared_bytes);
  std::vector<cuda::DeviceBuffer> buffers;
  buffers.reserve(launch.buffers.size());
  for (const LaunchBuffer& buffer : launch.buffers) buffers.push_back(gpu.upload(buffer.initial));
  std::vector<std::byte> parameters = launch.parameters;
  for (const LaunchPointer& pointer : launch.pointers) {
    const CUdeviceptr address = buffers.at(pointer.buffer).get();
    std::memcpy(parameters.data() + pointer.offset, &address, sizeof(address));
  }
  std::size_t bytes = parameters.size();
  // The whole parameter space at once, in the layout of the cubin.
  std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(),
                                CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  const auto& [grid_x, grid_y, grid_z] = launch.grid;
  const auto& [block_x, block_y, block_z] = launch.block;
  TILESCOPE_CUDA_CHECK(LaunchKernel(kernel.function(), grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    launch.dynamic_shared_bytes, gpu.stream().get(), nullptr, extra.data()));
  gpu.synchronize();
  std::vector<std::vector<std::byte>> results;
  results.reserve(buffers.size());
  for (const cuda::DeviceBuffer& buffer : buffers) results.push_back(gpu.download(buffer));
  return results;
}

}  // namespace tilescope::hardware
