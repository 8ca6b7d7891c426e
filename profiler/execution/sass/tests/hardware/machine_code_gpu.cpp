#include "profiler/execution/sass/tests/hardware/machine_code_gpu.hpp"

#include <array>
#include <cstring>

#include "profiler/gpu/timing/graph_timing.hpp"

namespace tilescope::hardware {

GpuLaunch::GpuLaunch(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch)
    : gpu_(gpu), launch_(launch), kernel_(launch.cubin, launch.entry), parameters_(launch.parameters) {
  if (launch.dynamic_shared_bytes > 0) kernel_.allow_dynamic_shared(launch.dynamic_shared_bytes);
  buffers_.reserve(launch.buffers.size());
  for (const LaunchBuffer& buffer : launch.buffers) buffers_.push_back(gpu.upload(buffer.initial));
  for (const LaunchPointer& pointer : launch.pointers) {
    const CUdeviceptr address = buffers_.at(pointer.buffer).get();
    std::memcpy(parameters_.data() + pointer.offset, &address, sizeof(address));
  }
}

void GpuLaunch::enqueue() {
  std::size_t bytes = parameters_.size();
  // The whole parameter space at once, in the layout of the cubin.
  std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters_.data(),
                                CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  const auto& [grid_x, grid_y, grid_z] = launch_.grid;
  const auto& [block_x, block_y, block_z] = launch_.block;
  TILESCOPE_CUDA_CHECK(LaunchKernel(kernel_.function(), grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    launch_.dynamic_shared_bytes, gpu_.stream().get(), nullptr,
                                    extra.data()));
}

std::vector<std::vector<std::byte>> GpuLaunch::download() const {
  gpu_.synchronize();
  std::vector<std::vector<std::byte>> results;
  results.reserve(buffers_.size());
  for (const cuda::DeviceBuffer& buffer : buffers_) results.push_back(gpu_.download(buffer));
  return results;
}

std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch) {
  GpuLaunch on_gpu(gpu, launch);
  on_gpu.enqueue();
  return on_gpu.download();
}

GpuTime time_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch,
                    const cuda::LoadedKernel& clock_probe) {
  GpuLaunch on_gpu(gpu, launch);
  on_gpu.enqueue();
  const auto first = on_gpu.download();
  on_gpu.enqueue();
  GpuTime time;
  time.repeats = on_gpu.download() == first;
  GraphTimingDevice device(
      gpu, [&] { on_gpu.enqueue(); }, clock_probe);
  TimingOptions options;
  options.budget_s = 0.1;
  options.time_limit_s = 0.5;
  std::vector<std::string> notes;
  time.l2_warm = time_series(device, CacheState::l2_warm, options, notes).value();
  return time;
}

}  // namespace tilescope::hardware
