// The cost of a new configuration in NVRTC and its parts, and the gain of precompiled headers, of not including cuda_fp16.h and of
// compiling to PTX and to machine code side by side. The variants are compiled in turn for each configuration, so that
// their ratios hold on a machine whose speed drifts. Prints a line per figure, or one document with --json.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace {

using namespace tilescope;

struct Variant {
  std::string name;
  /// Returns what it took. [ms]
  std::function<double(const Configuration&)> compile;
  std::vector<double> wall_ms;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double time_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return ms_since(start);
}

// Valid configurations in a fixed random order.
std::vector<Configuration> sample(const KernelDeclaration& kernel, const Shape& shape,
                                  const DeviceModel& device, std::size_t count) {
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> vary;
  vary.reserve(kernel.parameters.size());
  for (const ParameterDeclaration& parameter : kernel.parameters)
    vary.emplace_back(parameter.name, parameter.values);
  std::vector<Configuration> legal;
  for (const Configuration& configuration : expand_grid(kernel, {}, vary)) {
    if (why_invalid(kernel, configuration, shape, device).empty()) legal.push_back(configuration);
  }
  std::shuffle(legal.begin(), legal.end(), std::mt19937(1));
  legal.resize(std::min(count, legal.size()));
  return legal;
}

class Bench {
 public:
  Bench()
      : installation_(find_installation()),
        scratch_(std::filesystem::temp_directory_path() /
                 ("tilescope_bench_" + std::to_string(std::random_device{}()))),
        nvrtc_(Nvrtc::open({{}, installation_.dependencies, std::nullopt})),
        kernel_(Catalogue(installation_.kernels).find("flash_scalar")),
        source_(read_kernel_source(kernel_.source_path, installation_.kernels)),
        compiler_(nvrtc_, {installation_.kernels, scratch_}) {
    std::filesystem::create_directories(scratch_);
  }
  ~Bench() { std::filesystem::remove_all(scratch_); }

  std::vector<Variant> run(std::size_t count) {
    const std::string headers = "-I" + nvrtc_.toolkit_headers().string();
    std::vector<Variant> variants;
    const auto add = [&](const std::string& name, std::function<void(const Configuration&)> work) {
      variants.push_back({name,
                          [work = std::move(work)](const Configuration& configuration) {
                            return time_ms([&] { work(configuration); });
                          },
                          {}});
    };
    add("header-free", [&](const Configuration& c) { compile(c, "", {}); });
    add("with cuda_fp16.h",
        [&](const Configuration& c) { compile(c, "#include <cuda_fp16.h>\n", {headers}); });
    if (nvrtc_.version() >= "12.8") {  // -pch needs NVRTC 12.8
      add("with cuda_fp16.h, precompiled", [&](const Configuration& c) {
        compile(c, "#include <cuda_fp16.h>\n", {headers, "-pch", "-pch-dir=" + scratch_.string()});
      });
    }
    // This and the next differ by NVRTC's optimiser, the next and "header-free" by ptxas.
    add("parsed alone",
        [&](const Configuration& c) { compile(c, "", {"--fdevice-syntax-only"}, "compute_89"); });
    add("to PTX alone", [&](const Configuration& c) { compile(c, "", {}, "compute_89"); });
    variants.push_back(
        {"side by side, until PTX", [&](const Configuration& c) { return side_by_side(c).ptx_ms; }, {}});
    variants.push_back(
        {"side by side, until both", [&](const Configuration& c) { return side_by_side(c).both_ms; }, {}});
    add("Compiler, new", [&](const Configuration& c) { compiler_.compile(kernel_, c, shape_, "sm_89"); });
    add("Compiler, cached", [&](const Configuration& c) { compiler_.compile(kernel_, c, shape_, "sm_89"); });

    const DeviceModel l4 = *match_device(load_device_tables(installation_.devices), "NVIDIA L4");
    const std::vector<Configuration> configurations = sample(kernel_, shape_, l4, count);
    variants[0].compile(configurations[0]);  // the very first call loads the library
    for (const Configuration& configuration : configurations) {
      for (Variant& variant : variants) variant.wall_ms.push_back(variant.compile(configuration));
    }
    return variants;
  }
  std::string nvrtc_version() const { return nvrtc_.version(); }

 private:
  struct SideBySide {
    double ptx_ms = 0, both_ms = 0;
  };

  /// Through a compiler with an empty cache, as a slider's move goes.
  SideBySide side_by_side(const Configuration& configuration) const {
    const Compiler fresh(nvrtc_, {installation_.kernels, scratch_ / std::to_string(++folders_)});
    SideBySide took;
    const auto start = std::chrono::steady_clock::now();
    const CompilationAsker asked =
        fresh.begin(kernel_, configuration, shape_, "sm_89", CompileGoal::ptx_first);
    asked->wait_for_ptx({});
    took.ptx_ms = ms_since(start);
    asked->wait({});
    took.both_ms = ms_since(start);
    return took;
  }

  CompilerOutput compile(const Configuration& configuration, const std::string& prefix,
                         std::vector<std::string> extra, const std::string& architecture = "sm_89") const {
    std::vector<std::string> options = {"--gpu-architecture=" + architecture,
                                        "-lineinfo",
                                        "--std=c++17",
                                        "--ptxas-options=-v",
                                        "-DHEAD_DIM=64",
                                        "-DCAUSAL=0",
                                        "-DDTYPE=fp16"};
    for (const auto& [name, value] : configuration) options.push_back("-D" + name + "=" + to_string(value));
    options.insert(options.end(), extra.begin(), extra.end());
    return nvrtc_.compile(source_.file.name, prefix + source_.file.text,
                          {source_.file.headers.begin(), source_.file.headers.end()}, options);
  }

  Installation installation_;
  std::filesystem::path scratch_;
  Nvrtc nvrtc_;
  KernelDeclaration kernel_;
  KernelSource source_;
  Compiler compiler_;
  mutable int folders_ = 0;
  Shape shape_;
};

std::vector<double> ratios(const Variant& variant, const Variant& base) {
  std::vector<double> list;
  list.reserve(base.wall_ms.size());
  for (std::size_t i = 0; i < base.wall_ms.size(); ++i) list.push_back(variant.wall_ms[i] / base.wall_ms[i]);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  // ./tilescope bench requests a document from every executable with Google Benchmark's option.
  const bool json = argc > 1 && std::strcmp(argv[1], "--benchmark_format=json") == 0;
  try {
    Bench bench;
    const std::vector<Variant> variants = bench.run(24);
    Json figures = Json::array();
    for (const Variant& variant : variants) {
      const double ms = median(variant.wall_ms), ratio = median(ratios(variant, variants[0]));
      figures.push_back({{"name", variant.name}, {"median_ms", ms}, {"ratio_to_header_free", ratio}});
      if (!json) std::printf("%-32s %8.2f ms  %5.2f x header-free\n", variant.name.c_str(), ms, ratio);
    }
    if (json)
      std::printf("%s\n", Json{{"nvrtc", bench.nvrtc_version()}, {"figures", figures}}.dump(1).c_str());
    if (!json)
      std::printf(
          "medians of 24 valid configurations of flash_scalar for sm_89, NVRTC %s; target of a new one"
          " with all that a slider adds: 250 ms\n",
          bench.nvrtc_version().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the compile benchmark cannot run: %s\n", error.what());
    return 3;
  }
}
