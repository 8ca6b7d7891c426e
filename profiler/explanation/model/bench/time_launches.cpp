// Times the launches of a folder on this machine's GPU, for bench model_accuracy (bench/launch_set.hpp has the folder's
// form): reads cases.csv (case, kernel, kind) and writes them with the median of a launch in a CUDA graph, its spread, and
// the median with a cold L2.
//
//   time_launches FOLDER OUT.csv
//   time_launches FOLDER --once
// --once launches each four times and times nothing, for Nsight Compute: ncu --launch-skip 3 -c 1 -k regex:^KERNEL$

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/gpu/cuda/query_device.hpp"
#include "profiler/installation.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/gpu/file_on_gpu.hpp"
#include "profiler/measure/workbench.hpp"

namespace {

using namespace tilescope;

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20U;

struct Case {
  std::string name, kernel, kind;
};

std::string timed_row(FileOnGpu& launch, const Case& timed) {
  const TimingBudget budget{0.1};
  const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  const Latency latency = launch.time(budget, control);
  if (!latency.l2_warm) throw std::runtime_error("it was not timed");
  const SampleStatistics& warm = *latency.l2_warm;
  return fmt::format("{},{},{:.3f},{},{:.3f},{:.3f},{:.3f},{:.0f}", timed.name, timed.kernel, warm.p50_us,
                     timed.kind, warm.p10_us, warm.p90_us, latency.l2_cold ? latency.l2_cold->p50_us : 0,
                     warm.sm_clock_mhz);
}

class Folder {
 public:
  explicit Folder(std::filesystem::path path)
      : path_(std::move(path)),
        bench_(find_installation()),
        device_(cuda::query_device(0, bench_.tables())),
        port_(device_, bench_.compiler(), bench_.installation().kernels) {}

  // Launches of one case; throws std::runtime_error with a sentence where it cannot be launched.
  void launch(const Case& of, const std::function<void(FileOnGpu&)>& use) {
    const CompiledKernel compiled =
        bench_.compiler().compile_file(path_ / "kernels.cu", of.kernel, {}, port_.runner().arch());
    FileProgram decoded = decode_file(compiled.ptx, InputFile::ptx, of.kernel, bench_.disassemblies());
    if (!decoded.program) throw std::runtime_error(decoded.reason);
    const std::filesystem::path file = path_ / "launches" / (of.name + ".json");
    FileSubject subject;
    subject.entry = of.kernel;
    subject.launch = sent_file(file, read_regular_file(file, most_bytes));
    const FileLaunch launch(std::move(decoded), subject);
    FileOnGpu gpu(port_, compiled.cubin, of.kernel, launch);
    use(gpu);
  }

 private:
  const std::filesystem::path path_;
  Workbench bench_;
  const DeviceModel device_;
  GpuPort port_;
};

int run(const std::filesystem::path& path, const std::string& target) {
  Folder folder(path);
  const bool once = target == "--once";
  std::istringstream cases(read_regular_file(path / "cases.csv", most_bytes));
  std::ofstream out;
  if (!once) {
    out.open(target);
    out << "case,kernel,graph_us,kind,graph_p10_us,graph_p90_us,cold_us,sm_clock_mhz\n";
  }
  std::string line;
  std::getline(cases, line);
  while (std::getline(cases, line)) {
    std::istringstream cells(line);
    Case one;
    std::getline(cells, one.name, ',');
    std::getline(cells, one.kernel, ',');
    std::getline(cells, one.kind, ',');
    try {
      folder.launch(one, [&](FileOnGpu& gpu) {
        for (int i = 0; once && i < 4; ++i) gpu.run();
        if (!once) out << timed_row(gpu, one) << std::endl;
      });
    } catch (const cuda::CudaError&) {
      throw;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", one.name.c_str(), error.what());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  if (count != 3) {
    std::fprintf(stderr, "usage: time_launches FOLDER OUT.csv|--once\n");
    return 2;
  }
  try {
    return run(values[1], values[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "time_launches: %s\n", error.what());
    return 1;
  }
}
