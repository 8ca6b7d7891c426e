// The speed of interpreting: flash_scalar in its default configuration, compiled for the L4 (sm_89), with B1
// H8 S512 D64, by its PTX, and by its machine code beside its PTX; so are mma_flash and naive. There is no
// other interpreter of modern PTX or machine code to compare with, so the figures stand alone; the figures of
// two cores, observers and machine code are ratios within the run. The interpreter picks its vector
// instructions at run time; the narrower set is measured by hiding the wider one. Prints a line per figure,
// or one document with --benchmark_format=json.

#include <hwy/targets.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/caches/reference_cache.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace {

using namespace tilescope;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::byte> joined(const simt::Program& program,
                              const std::vector<std::vector<std::byte>>& arguments) {
  std::vector<std::byte> bytes(program.parameter_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::ranges::copy(arguments[i],
                      bytes.begin() + static_cast<std::ptrdiff_t>(program.parameters[i].offset));
  }
  return bytes;
}

// The kernel, compiled and laid out once; every figure runs it again.
class Workload {
 public:
  explicit Workload(const std::string& kernel_name) {
    const Installation installation = find_installation();
    const Compiler compiler(Nvrtc::open({{}, installation.dependencies, std::nullopt}),
                            {installation.kernels, scratch_.path()});
    const KernelDeclaration kernel = Catalogue(installation.kernels).find(kernel_name);
    const Configuration complete = kernel.complete({});
    const DeviceModel l4 = *match_device(load_device_tables(installation.devices), "NVIDIA L4");
    CompiledKernel compiled = compiler.compile(kernel, complete, shape_, l4.arch);
    ptx_ = std::move(compiled.ptx);
    cubin_ = std::move(compiled.cubin);
    nvdisasm_ = sass::Disassembler::find({{}, installation.dependencies, {}});
    disassemble();
    read_disassembly();
    entry_ = kernel.entry;
    decode();

    const LaunchGeometry geometry = launch_geometry(kernel, complete, shape_, l4);
    launch_.grid = {static_cast<std::uint32_t>(geometry.grid_x), static_cast<std::uint32_t>(geometry.grid_y),
                    static_cast<std::uint32_t>(geometry.grid_z)};
    launch_.block.x = static_cast<std::uint32_t>(geometry.threads);
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(geometry.dynamic_shared_bytes);
    inputs_ = reference::make_inputs(attention_sizes(shape_), 1);
    const auto tensor = [&](const char* name, std::vector<std::uint16_t>& values) {
      return memory_.attach(name, reinterpret_cast<std::byte*>(values.data()), values.size() * 2, true);
    };
    TensorAddresses tensors;
    tensors.q = tensor("Q", inputs_.q);
    tensors.k = tensor("K", inputs_.k);
    tensors.v = tensor("V", inputs_.v);
    tensors.o = memory_.allocate("O", inputs_.q.size() * 2);
    launch_.parameters = joined(program_, kernel_arguments(kernel, complete, shape_, l4, tensors));
  }

  // Parses and decodes the cached PTX, the first step of a slider move.
  void decode() { program_ = ptx::build_program(ptx::parse(ptx_), entry_); }
  /// Once for each binary: the text is kept on disk.
  void disassemble() { disassembly_text_ = nvdisasm_->print(cubin_); }
  void read_disassembly() { disassembly_ = sass::parse_disassembly(disassembly_text_); }
  void decode_machine_code() {
    program_ = sass::build_program(sass::read_cubin(cubin_), disassembly_, entry_);
  }

  simt::RunResult run(TraceOptions options) {
    Traced traced = trace(program_, launch_, memory_, options);
    if (traced.run.fault) throw std::runtime_error("flash_scalar faults: " + traced.run.fault->text);
    return std::move(traced.run);
  }

  std::size_t ptx_bytes() const { return ptx_.size(); }

 private:
  TemporaryFolder scratch_;
  Shape shape_;
  std::string ptx_, entry_;
  std::vector<char> cubin_;
  std::optional<sass::Disassembler> nvdisasm_;
  std::string disassembly_text_;
  sass::Disassembly disassembly_;
  simt::Program program_;
  simt::Launch launch_;
  simt::GlobalMemory memory_;
  reference::AttentionInputs inputs_;
};

TraceOptions with(bool count, bool check, int cores) {
  TraceOptions options;
  options.count = count;
  options.check = check;
  options.host_threads = cores;
  return options;
}

struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::string target;
};

// Warp and lane instructions a second, the median of rounds: the variants take turns, so that their ratios hold while
// the machine's speed drifts.
struct Variant {
  std::string name;
  TraceOptions options;
  std::string target;
  std::vector<double> warp_rates, lane_rates;
};

void run_rounds(Workload& workload, std::vector<Variant>& variants, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Variant& variant : variants) {
      const simt::RunResult result = workload.run(variant.options);
      variant.warp_rates.push_back(static_cast<double>(result.warp_instructions) / result.seconds);
      variant.lane_rates.push_back(static_cast<double>(result.lane_instructions) / result.seconds);
    }
  }
}

double median_ms(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    work();
    times.push_back(1e3 * seconds_since(start));
  }
  return median(times);
}

// Handlers are chosen when the PTX is decoded: with nothing wider than `target` after this.
void force_target(Workload& workload, std::int64_t target) {
  hwy::DisableTargets(target - 1);  // a wider set has a lower bit
  workload.decode();
}

void measure_rates(Workload& workload, const std::string& set, std::vector<Figure>& figures) {
  // The whole grid: with fewer blocks one core would wait for the other's last one.
  std::vector<SampledBlock> blocks;
  blocks.reserve(128);
  for (std::uint64_t i = 0; i < 128; ++i) blocks.push_back({i, 1});
  std::vector<Variant> variants = {
      {set + ", one core, counting off", with(false, false, 1), ">= 40 M", {}, {}},
      {set + ", one core, memory analysis", with(true, false, 1), ">= 20 M", {}, {}},
      {set + ", one core, analysis and all checkers", with(true, true, 1), ">= 8 M", {}, {}},
      {set + ", two cores, counting off", with(false, false, 2), ">= 1.8 x one", {}, {}},
  };
  for (Variant& variant : variants) variant.options.blocks = blocks;
  run_rounds(workload, variants, 7);

  for (const Variant& variant : variants) {
    figures.push_back(
        {variant.name, median(variant.warp_rates) * 1e-6, "M warp-instructions/s", variant.target});
    figures.push_back({variant.name, median(variant.lane_rates) * 1e-6, "M lane-instructions/s", ""});
  }
  std::vector<double> speedups;
  speedups.reserve(variants[0].warp_rates.size());
  for (std::size_t i = 0; i < variants[0].warp_rates.size(); ++i) {
    speedups.push_back(variants[3].warp_rates[i] / variants[0].warp_rates[i]);
  }
  figures.push_back({set + ", two cores against one", median(speedups), "x", ">= 1.8 x"});
}

// One level of observers: rounds in turn, so that the ratios hold.
void compare_codes(Workload& workload, const std::string& name, const TraceOptions& options,
                   std::vector<Figure>& figures) {
  std::vector<double> rates, times, machine_rates;
  for (int round = 0; round < 5; ++round) {
    workload.decode();
    const simt::RunResult ptx = workload.run(options);
    workload.decode_machine_code();
    const simt::RunResult machine = workload.run(options);
    const auto rate = [](const simt::RunResult& run) {
      return static_cast<double>(run.warp_instructions) / run.seconds;
    };
    machine_rates.push_back(1e-6 * rate(machine));
    rates.push_back(rate(machine) / rate(ptx));
    times.push_back(machine.seconds / ptx.seconds);
  }
  figures.push_back({name, median(machine_rates), "M warp-instructions/s", ""});
  figures.push_back({name + ", rate against PTX", median(rates), "x", ">= 1 x"});
  figures.push_back({name + ", time against PTX", median(times), "x", "<= 0.7 x"});
}

void measure_machine_code(const std::string& kernel, std::vector<Figure>& figures) {
  Workload workload(kernel);
  std::vector<SampledBlock> blocks;
  blocks.reserve(32);
  for (std::uint64_t i = 0; i < 32; ++i) blocks.push_back({i, 1});
  const std::pair<const char*, TraceOptions> levels[] = {{"counting off", with(false, false, 1)},
                                                         {"memory analysis", with(true, false, 1)},
                                                         {"analysis and all checkers", with(true, true, 1)}};
  for (auto [level, options] : levels) {
    options.blocks = blocks;
    compare_codes(workload, kernel + ", machine code, " + level, options, figures);
  }
  figures.push_back(
      {kernel + ", machine code: nvdisasm", median_ms(5, [&] { workload.disassemble(); }), "ms", ""});
  figures.push_back({kernel + ", machine code: read nvdisasm's kept text",
                     median_ms(9, [&] { workload.read_disassembly(); }), "ms", "<= 5 ms"});
  figures.push_back({kernel + ", machine code: read the file and decode",
                     median_ms(9, [&] { workload.decode_machine_code(); }), "ms", ""});
}

std::vector<Figure> measure(Workload& workload) {
  std::vector<Figure> figures;
  const std::int64_t supported = hwy::SupportedTargets();
  for (const std::int64_t target : {HWY_STATIC_TARGET, HWY_AVX2}) {
    if ((supported & target) == 0) continue;
    force_target(workload, target);
    measure_rates(workload, hwy::TargetName(target), figures);
  }
  hwy::DisableTargets(0);
  workload.decode();
  figures.push_back({"parse and decode the PTX", median_ms(9, [&] { workload.decode(); }), "ms", ""});
  figures.push_back({"one block from the cached PTX, counted",
                     median_ms(9,
                               [&] {
                                 workload.decode();
                                 TraceOptions one = with(true, false, 1);
                                 one.blocks = {{0, 128}};
                                 workload.run(one);
                               }),
                     "ms", "<= 30 ms"});
  figures.push_back({"the whole grid on two cores, counted",
                     1e-3 * median_ms(3, [&] { workload.run(with(true, false, 2)); }), "s", "<= 2 s"});
  for (const char* kernel : {"flash_scalar", "mma_flash", "naive"}) measure_machine_code(kernel, figures);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--benchmark_format=json") == 0;
  try {
    Workload workload("flash_scalar");
    Json list = Json::array();
    for (const Figure& figure : measure(workload)) {
      list.push_back(
          {{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"target", figure.target}});
      if (!json) {
        std::printf("%-64s %10.2f %-24s %s\n", figure.name.c_str(), figure.value, figure.unit.c_str(),
                    figure.target.c_str());
      }
    }
    if (json)
      std::printf("%s\n", Json{{"ptx_bytes", workload.ptx_bytes()}, {"figures", list}}.dump(1).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the interpreter benchmark cannot run: %s\n", error.what());
    return 3;
  }
}
