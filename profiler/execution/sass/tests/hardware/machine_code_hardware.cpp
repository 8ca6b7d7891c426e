// Makes the launches whose machine code is compared with a GPU: compiles them, runs them on a GPU, and keeps of their
// outputs what the tests compare.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "base/json.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/tests/hardware/interpreted_machine_code.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_gpu.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_outputs.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/measure/files/launch_prediction.hpp"

namespace {

using namespace tilescope;
using namespace tilescope::hardware;
namespace fs = std::filesystem;

struct Arguments {
  fs::path launches, recorded, to;
  std::string only, device;
};

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<MachineCodeCase> chosen_cases(const Arguments& arguments) {
  std::vector<MachineCodeCase> cases = machine_code_cases(find_installation());
  std::erase_if(cases,
                [&](const MachineCodeCase& one) { return !one.launch.name.starts_with(arguments.only); });
  if (cases.empty())
    throw std::runtime_error("no launch's name starts with '" + arguments.only + "'; see list");
  return cases;
}

void list(const Arguments& arguments) {
  for (const MachineCodeCase& one : chosen_cases(arguments)) std::cout << one.launch.name << '\n';
}

void compile(const Arguments& arguments) {
  const Compiler compiler = open_compiler(find_installation());
  std::size_t count = 0;
  for (const MachineCodeCase& one : chosen_cases(arguments)) {
    try {
      write_launch(prepare(one, compiler), arguments.to);
      ++count;
    } catch (const CompileFailed& failed) {
      throw std::runtime_error(one.launch.name + ": " + failed.what() + "\n" + failed.log);
    }
  }
  write_file(arguments.to / "nvrtc.txt", compiler.nvrtc().version() + "\n");
  std::cout << count << " launches, NVRTC " << compiler.nvrtc().version() << '\n';
}

/// The outputs one after the other. Launches that fail are recorded with the reason; one that poisons the context ends
/// the run.
void run_gpu(const Arguments& arguments) {
  const std::vector<MachineCodeLaunch> launches = read_launches(arguments.launches, arguments.only);
  if (launches.empty())
    throw std::runtime_error("no launch in " + arguments.launches.string() + " starts with '" +
                             arguments.only + "'");
  const cuda::GpuRunner gpu(0);
  Json document = {
      {"driver", cuda::Driver::get().version_text()}, {"arch", gpu.arch()}, {"launches", Json::array()}};
  std::ofstream outputs;
  if (!arguments.to.empty()) {
    fs::create_directories(arguments.to);
    outputs.open(arguments.to / "outputs.bin", std::ios::binary);
  }
  std::size_t offset = 0;
  for (const MachineCodeLaunch& launch : launches) {
    Json entry = {{"name", launch.name},
                  {"entry", launch.entry},
                  {"code_sha256", sass_sha256(launch.cubin, launch.entry)}};
    bool is_over = false;
    try {
      const std::vector<std::vector<std::byte>> buffers = run_on_gpu(gpu, launch);
      entry["buffers"] = Json::array();
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!launch.buffers[i].is_output) continue;
        outputs.write(reinterpret_cast<const char*>(buffers[i].data()),
                      static_cast<std::streamsize>(buffers[i].size()));
        entry["buffers"].push_back({{"buffer", i}, {"offset", offset}, {"bytes", buffers[i].size()}});
        offset += buffers[i].size();
      }
    } catch (const cuda::CudaError& error) {
      entry["error"] = error.what();
      is_over = error.is_sticky();
      std::cerr << launch.name << ": " << error.what() << '\n';
    }
    document["launches"].push_back(std::move(entry));
    if (is_over) break;
  }
  if (!arguments.to.empty()) write_file(arguments.to / "outputs.json", to_indented_text(document));
  std::cout << document["launches"].size() << " of " << launches.size() << " launches ran\n";
}

/// Times the launches that `to` does not have yet, one line of JSON each. A launch that poisons the context is recorded
/// with the reason and ends the run: another one goes on behind it.
void time_gpu(const Arguments& arguments) {
  std::set<std::string> known;
  std::ifstream before(arguments.to);
  for (std::string line; std::getline(before, line);) known.insert(Json::parse(line).at("name"));
  const Installation installation = find_installation();
  const cuda::GpuRunner gpu(0);
  const char* const probe = "sm_clock_probe";
  const cuda::LoadedKernel clock_probe(open_compiler(installation)
                                           .compile_file(installation.kernels / "micro/sm_clock_probe.cu",
                                                         probe, {{"DTYPE", "fp16"}}, gpu.arch())
                                           .cubin,
                                       probe);
  std::ofstream out(arguments.to, std::ios::app);
  for (const MachineCodeLaunch& launch : read_launches(arguments.launches, arguments.only)) {
    if (known.contains(launch.name)) continue;
    Json entry = {{"name", launch.name}};
    try {
      const GpuTime time = time_on_gpu(gpu, launch, clock_probe);
      entry["p10_us"] = time.l2_warm.p10_us;
      entry["p50_us"] = time.l2_warm.p50_us;
      entry["p90_us"] = time.l2_warm.p90_us;
      entry["samples"] = time.l2_warm.count;
      entry["launches_per_sample"] = time.l2_warm.launches_per_sample;
      entry["sm_clock_mhz"] = time.l2_warm.sm_clock_mhz;
      entry["repeats"] = time.repeats;
      out << to_line(entry) << std::endl;
    } catch (const cuda::CudaError& error) {
      entry["error"] = error.what();
      out << to_line(entry) << std::endl;
      if (error.is_sticky()) throw;
    }
  }
}

// The prediction for a launch, or why there is none.
Json predicted_line(const MachineCodeLaunch& launch, const DeviceModel& device,
                    const sass::Disassembler& nvdisasm) {
  const sass::Cubin cubin = sass::read_cubin(launch.cubin);
  const simt::Program program = sass::build_program(cubin, nvdisasm.disassemble(launch.cubin), launch.entry);
  simt::GlobalMemory memory;
  std::vector<std::uint64_t> addresses;
  const simt::Launch placed = place_launch(launch, memory, addresses);
  const sass::CubinKernel& kernel = cubin.kernel(launch.entry);
  Resources resources;
  resources.registers = kernel.registers;
  resources.static_shared_bytes = kernel.static_shared_bytes;
  LaunchPrediction prediction(program, resources, placed, memory, device);
  if (!prediction.why_none().empty()) return {{"why_none", prediction.why_none()}};
  TraceOptions options;
  options.by_instruction = true;
  options.further_observer = [&] { return prediction.make_observer(); };
  const Traced traced = trace(program, placed, memory, options);
  if (traced.run.fault) return {{"why_none", traced.run.fault->text}};
  const auto begin = std::chrono::steady_clock::now();
  Json line = prediction.predict(traced.by_instruction, {}).prediction;
  line["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  line["interpreted_seconds"] = traced.run.seconds;
  return line;
}

/// Predicts the launches of a folder for a device, one line of JSON each.
void predict(const Arguments& arguments) {
  const Installation installation = find_installation();
  const std::vector<DeviceModel> tables = load_device_tables(installation);
  const DeviceModel* device = match_device(tables, arguments.device);
  if (device == nullptr) throw std::runtime_error("there is no device '" + arguments.device + "'");
  const auto nvdisasm = sass::Disassembler::find({"", installation.dependencies, ""});
  for (const MachineCodeLaunch& launch : read_launches(arguments.launches, arguments.only)) {
    Json line;
    try {
      line = predicted_line(launch, *device, nvdisasm);
    } catch (const std::exception& error) {
      line = {{"why_none", error.what()}};
    }
    line["name"] = launch.name;
    std::cout << to_line(line) << std::endl;
  }
}

/// The contents of the output buffers that the GPU left, by their index; others are empty.
std::vector<std::vector<std::byte>> gpu_buffers(const Json& entry, const std::string& outputs,
                                                std::size_t count) {
  std::vector<std::vector<std::byte>> buffers(count);
  for (const Json& buffer : entry.value("buffers", Json::array())) {
    const auto bytes = std::as_bytes(std::span(outputs)).subspan(buffer.at("offset"), buffer.at("bytes"));
    buffers.at(buffer.at("buffer")).assign(bytes.begin(), bytes.end());
  }
  return buffers;
}

/// Writes the part of the GPU's outputs that the tests use.
void sample(const Arguments& arguments) {
  const Json recorded = Json::parse(read_file(arguments.recorded / "outputs.json"));
  const std::string outputs = read_file(arguments.recorded / "outputs.bin");
  std::map<std::string, MachineCodeCase> cases;
  for (MachineCodeCase& one : machine_code_cases(find_installation()))
    cases.emplace(one.launch.name, std::move(one));
  Json document = {
      {"driver", recorded.at("driver")}, {"arch", recorded.at("arch")}, {"launches", Json::object()}};
  for (const Json& entry : recorded.at("launches")) {
    const Case& one = cases.at(entry.at("name")).launch;
    Json kept = {{"code_sha256", entry.at("code_sha256")}};
    if (entry.contains("error")) kept["error"] = entry["error"];
    const auto buffers = gpu_buffers(entry, outputs, one.buffers.size());
    kept["regions"] = entry.contains("error") ? Json::array() : keep_outputs(one, buffers);
    document["launches"][one.name] = std::move(kept);
  }
  write_file(arguments.to, one_line_each(document, "launches"));
}

/// Counts the launches of which nothing differs.
class Comparison {
 public:
  /// `differences` gives a sentence each; what it throws is one, too.
  template <class Differences>
  void add(const std::string& name, Differences differences) {
    ++all_;
    std::vector<std::string> found;
    try {
      found = differences();
    } catch (const std::exception& error) {
      found.push_back(error.what());
    }
    if (found.empty()) ++equal_;
    for (const std::string& difference : found) std::cout << name << ": " << difference << '\n';
  }
  ~Comparison() { std::cout << equal_ << " of " << all_ << " launches are as recorded\n"; }

 private:
  int equal_ = 0, all_ = 0;
};

std::vector<std::string> differences_of(const RecordedLaunch& recorded,
                                        const InterpretedMachineCode& interpreted) {
  std::vector<std::string> differences;
  for (CountDifference& found : count_differences(recorded, interpreted)) {
    differences.push_back(std::move(found.text));
  }
  if (!interpreted.fault.empty()) differences.push_back(interpreted.fault);
  return differences;
}

/// Interprets launches of a folder and says how their counts and outputs differ from those that record.sh recorded.
void compare_folder(const Arguments& arguments) {
  const auto nvdisasm = sass::Disassembler::find({"", find_installation().dependencies, ""});
  const Json recorded = Json::parse(read_file(arguments.recorded / "outputs.json"));
  const std::string outputs = read_file(arguments.recorded / "outputs.bin");
  const MachineCodeRecord record(Json::parse(read_file(arguments.recorded / "h200_machine_code.json")), {});
  std::map<std::string, Json> entries;
  for (const Json& entry : recorded.at("launches")) entries[entry.at("name")] = entry;
  Comparison comparison;
  for (const MachineCodeLaunch& launch : read_launches(arguments.launches, arguments.only)) {
    comparison.add(launch.name, [&] {
      const InterpretedMachineCode interpreted = interpret(launch, nvdisasm);
      std::vector<std::string> differences = differences_of(record.counts(launch.name), interpreted);
      const auto gpu = gpu_buffers(entries.at(launch.name), outputs, launch.buffers.size());
      for (std::string& one : output_differences(launch, gpu, interpreted))
        differences.push_back(std::move(one));
      return differences;
    });
  }
}

/// Interprets the launches and says how their counts differ from the record.
void compare(const Arguments& arguments) {
  if (!arguments.launches.empty()) return compare_folder(arguments);
  const Installation installation = find_installation();
  const MachineCodeRecord record(installation.root);
  const Compiler compiler = open_compiler(installation);
  const auto nvdisasm = sass::Disassembler::find({"", installation.dependencies, ""});
  Comparison comparison;
  for (const MachineCodeCase& one : machine_code_cases(installation)) {
    if (!one.launch.name.starts_with(arguments.only)) continue;
    comparison.add(one.launch.name, [&] {
      return differences_of(record.counts(one.launch.name), interpret(prepare(one, compiler), nvdisasm));
    });
  }
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  CLI::App app{"Launches of machine code that a GPU and an interpreter both make, to be compared."};
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* help, auto action) {
    CLI::App* added = app.add_subcommand(name, help);
    added->callback([action, &arguments] { action(arguments); });
    return added;
  };
  command("list", "the launches' names", list)->add_option("--only", arguments.only, "start of the names");
  CLI::App* make = command("compile", "write all launches with their cubins and inputs", compile);
  make->add_option("--to", arguments.to, "folder")->required();
  make->add_option("--only", arguments.only, "start of the names");
  CLI::App* gpu = command("gpu", "make each launch of a folder once on the GPU, sorted by name", run_gpu);
  gpu->add_option("--launches", arguments.launches, "folder that compile wrote")->required();
  gpu->add_option("--only", arguments.only, "start of the names");
  gpu->add_option("--to", arguments.to, "folder for outputs.bin and outputs.json; none: outputs are dropped");
  CLI::App* timed = command("time", "time each launch of a folder on the GPU", time_gpu);
  timed->add_option("--launches", arguments.launches, "folder that compile wrote")->required();
  timed->add_option("--only", arguments.only, "start of the names");
  timed
      ->add_option("--to", arguments.to,
                   "a file with a line of JSON for each launch; those in it are left out")
      ->required();
  CLI::App* model = command("predict", "predict the latency of each launch of a folder", predict);
  model->add_option("--launches", arguments.launches, "folder that compile wrote")->required();
  model->add_option("--device", arguments.device, "a device of the tables")->required();
  model->add_option("--only", arguments.only, "start of the names");
  CLI::App* judge =
      command("compare", "interpret the launches and compare the counts with the record", compare);
  judge->add_option("--only", arguments.only, "start of the names");
  CLI::Option* folder = judge->add_option("--launches", arguments.launches, "a folder of other launches");
  judge
      ->add_option("--recorded", arguments.recorded,
                   "what record.sh wrote for them, h200_machine_code.json included")
      ->needs(folder);
  folder->needs("--recorded");
  CLI::App* keep = command("sample", "keep of the GPU's outputs what the tests compare", sample);
  keep->add_option("--recorded", arguments.recorded, "folder that gpu wrote")->required();
  keep->add_option("--to", arguments.to, "file")->required();
  try {
    app.parse(count, values);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
