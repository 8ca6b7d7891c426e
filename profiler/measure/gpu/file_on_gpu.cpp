#include "profiler/measure/gpu/file_on_gpu.hpp"

#include <cstdint>
#include <utility>

#include "profiler/gpu/cuda/cuda_error.hpp"

namespace tilescope {
namespace {

std::vector<std::byte> contents_before(const FileLaunch& launch, std::size_t buffer,
                                       const std::vector<std::uint64_t>& addresses) {
  const LaunchBytes& bytes = launch.given()[buffer].bytes;
  if (!bytes.pattern) return FileLaunch::placed(bytes, addresses);
  std::vector<std::byte> contents(bytes.size());
  bytes.pattern->write(contents.data(), 0, contents.size());
  return contents;
}

}  // namespace

FileOnGpu::FileOnGpu(GpuPort& port, std::span<const char> code, const std::string& entry,
                     const FileLaunch& launch)
    : port_(port), launch_(launch), kernel_(code, entry) {
  const cuda::GpuRunner& gpu = port_.runner();
  kernel_.allow_dynamic_shared(launch.launch().dynamic_shared_bytes);
  std::vector<std::uint64_t> addresses;
  for (const FileLaunch::Buffer& buffer : launch.buffers()) {
    buffers_.push_back(gpu.allocate(buffer.bytes));
    addresses.push_back(buffers_.back().get());
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    buffers_[i].upload(contents_before(launch, i, addresses), gpu.stream());
  for (const LaunchBytes& argument : launch.file().arguments)
    arguments_.add_bytes(FileLaunch::placed(argument, addresses));
}

void FileOnGpu::enqueue() const {
  const simt::Launch& launch = launch_.launch();
  std::vector<void*> pointers = arguments_.pointers();
  TILESCOPE_CUDA_CHECK(LaunchKernel(
      kernel_.function(), launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
      launch.block.z, launch.dynamic_shared_bytes, port_.runner().stream().get(), pointers.data(), nullptr));
}

void FileOnGpu::run() {
  enqueue();
  port_.runner().synchronize();
}

std::vector<std::byte> FileOnGpu::contents(std::size_t buffer) const {
  return port_.runner().download(buffers_[buffer]);
}

Latency FileOnGpu::time(const TimingBudget& timing, const MeasureControl& control) {
  return port_.time_launches([this] { enqueue(); }, timing, control);
}

}  // namespace tilescope
