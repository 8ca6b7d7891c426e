#include "profiler/execution/ptx/tests/hardware/gpu_run.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

namespace tilescope::hardware {
namespace {

using ModuleHandle = cuda::Handle<CUmodule, cuda::destroy_module>;

/// With line information, so that the GPU's tools report lines of the CUDA source.
ModuleHandle load_ptx(const std::string& ptx) {
  std::vector<char> log(16384);
  std::array options = {CU_JIT_GENERATE_LINE_INFO, CU_JIT_ERROR_LOG_BUFFER,
                        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver takes numbers in the place of pointers.
  std::array<void*, 3> values = {reinterpret_cast<void*>(std::uintptr_t{1}), log.data(),
                                 reinterpret_cast<void*>(log.size())};
  ModuleHandle module;
  const CUresult result = cuda::Driver::get().calls().ModuleLoadDataEx(
      module.receive(), ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("the driver does not load the PTX (error " + std::to_string(result) +
                             "): " + std::string(log.data()));
  }
  return module;
}

void launch(const cuda::GpuRunner& gpu, CUfunction function, const simt::Launch& shape,
            std::vector<std::byte> parameters) {
  if (shape.dynamic_shared_bytes > 0) {
    TILESCOPE_CUDA_CHECK(FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(shape.dynamic_shared_bytes)));
  }
  std::size_t bytes = parameters.size();
  // The whole parameter space at once, in the layout of the PTX.
  std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(),
                                CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  TILESCOPE_CUDA_CHECK(LaunchKernel(function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                                    shape.block.y, shape.block.z, shape.dynamic_shared_bytes,
                                    gpu.stream().get(), nullptr, extra.data()));
  gpu.synchronize();
}

}  // namespace

std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const Case& one,
                                               const std::string& ptx) {
  const ModuleHandle module = load_ptx(ptx);
  CUfunction function = nullptr;
  TILESCOPE_CUDA_CHECK(ModuleGetFunction(&function, module.get(), one.kernel.entry.c_str()));

  std::vector<cuda::DeviceBuffer> buffers;
  buffers.reserve(one.buffers.size());
  for (const Buffer& buffer : one.buffers) buffers.push_back(gpu.upload(buffer.initial()));
  std::vector<std::byte> parameters = one.launch.parameters;
  for (const Case::Pointer& pointer : one.pointers) {
    const CUdeviceptr address = buffers[pointer.buffer].get();
    std::memcpy(parameters.data() + pointer.offset, &address, sizeof(address));
  }
  launch(gpu, function, one.launch, std::move(parameters));

  std::vector<std::vector<std::byte>> results;
  results.reserve(buffers.size());
  for (const cuda::DeviceBuffer& buffer : buffers) results.push_back(gpu.download(buffer));
  return results;
}

}  // namespace tilescope::hardware
