// Times the launches of a folder on this machine's GPU, for bench model_accuracy (bench/launch_set.hpp has the folder's
// form): reads cases.csv (case, kernel, kind) and writes them with the median of a launch in a CUDA graph, its spread, and
// the median with a cold L2.
//
//   time_launches FOLDER OUT.csv [KERNELS.cu]

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/gpu/cuda/driver.hpp"
#include "profiler/gpu/timing/gpu_timing.hpp"
#include "profiler/installation.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/workbench.hpp"

namespace {

using namespace tilescope;

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return text.str();
}

// A launch with its buffers on the GPU.
class LoadedLaunch {
 public:
  LoadedLaunch(const cuda::GpuRunner& gpu, const CompiledKernel& compiled, const std::string& entry,
               const std::string& launch, DisassemblyCache& disassemblies)
      : kernel_(compiled.cubin, entry) {
    const FileProgram program = decode_file(compiled.ptx, InputFile::ptx, entry, disassemblies);
    if (!program.program) throw std::runtime_error(program.reason);
    const LaunchFile file = read_launch_file(parse_json(launch), program.program->parameters);
    kernel_.allow_dynamic_shared(file.dynamic_shared_bytes);
    grid_ = file.grid;
    block_ = file.block;
    dynamic_shared_bytes_ = file.dynamic_shared_bytes;
    for (const LaunchBuffer& buffer : file.buffers) buffers_.push_back(gpu.upload(buffer.bytes.contents));
    for (const LaunchBytes& argument : file.arguments) arguments_.add_bytes(placed(argument));
  }

  void enqueue(const cuda::GpuRunner& gpu) const {
    std::vector<void*> pointers = arguments_.pointers();
    TILESCOPE_CUDA_CHECK(LaunchKernel(kernel_.function(), grid_.x, grid_.y, grid_.z, block_.x, block_.y,
                                      block_.z, dynamic_shared_bytes_, gpu.stream().get(), pointers.data(),
                                      nullptr));
  }

 private:
  std::vector<std::byte> placed(const LaunchBytes& bytes) const {
    std::vector<std::byte> contents = bytes.contents;
    for (const BufferAddress& place : bytes.addresses) {
      const std::uint64_t address = buffers_[place.buffer].get() + place.plus_bytes;
      std::memcpy(contents.data() + place.offset, &address, sizeof address);
    }
    return contents;
  }

  cuda::LoadedKernel kernel_;
  simt::Dimensions grid_, block_;
  std::uint32_t dynamic_shared_bytes_ = 0;
  std::vector<cuda::DeviceBuffer> buffers_;
  cuda::KernelArguments arguments_;
};

std::string timed_row(const cuda::GpuRunner& gpu, const LoadedLaunch& launch, const std::string& kind,
                      const cuda::LoadedKernel& clock_probe) {
  GpuTimingDevice device(
      gpu, [&] { launch.enqueue(gpu); }, clock_probe);
  TimingOptions options;
  options.budget_s = 0.1;
  options.time_limit_s = 1;
  const auto timed = time_latency(device, options);
  if (!timed || !timed->latency.l2_warm) throw std::runtime_error("the series was cancelled");
  const SampleStatistics& warm = *timed->latency.l2_warm;
  return fmt::format("{:.3f},{},{:.3f},{:.3f},{:.3f},{:.0f}", warm.p50_us, kind, warm.p10_us, warm.p90_us,
                     timed->latency.l2_cold ? timed->latency.l2_cold->p50_us : 0, warm.sm_clock_mhz);
}

int run(const std::filesystem::path& folder, const std::filesystem::path& out_file,
        const std::filesystem::path& source) {
  Workbench bench(find_installation());
  const cuda::GpuRunner gpu(0);
  const Compiler& compiler = bench.compiler();
  const cuda::LoadedKernel clock_probe(
      compiler
          .compile_file(bench.installation().kernels / "micro/sm_clock_probe.cu", "sm_clock_probe",
                        {{"DTYPE", "fp16"}}, gpu.arch())
          .cubin,
      "sm_clock_probe");
  std::istringstream cases(read_file(folder / "cases.csv"));
  std::ofstream out(out_file);
  out << "case,kernel,graph_us,kind,graph_p10_us,graph_p90_us,cold_us,sm_clock_mhz\n";
  std::string line;
  std::getline(cases, line);
  while (std::getline(cases, line)) {
    std::istringstream cells(line);
    std::string name, kernel, kind;
    std::getline(cells, name, ',');
    std::getline(cells, kernel, ',');
    std::getline(cells, kind, ',');
    try {
      const LoadedLaunch launch(gpu, compiler.compile_file(source, kernel, {}, gpu.arch()), kernel,
                                read_file(folder / "launches" / (name + ".json")), bench.disassemblies());
      out << name << ',' << kernel << ',' << timed_row(gpu, launch, kind, clock_probe) << std::endl;
    } catch (const cuda::CudaError&) {
      throw;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  if (count < 3) {
    std::fprintf(stderr, "usage: time_launches FOLDER OUT.csv [KERNELS.cu]\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = values[1];
    return run(folder, values[2], count > 3 ? std::filesystem::path(values[3]) : folder / "kernels.cu");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "time_launches: %s\n", error.what());
    return 1;
  }
}
