// Runs the hardware cases: on a GPU, where their outputs and the profiler's counters are recorded, and in the
// interpreter.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "base/json.hpp"
#include "profiler/execution/ptx/tests/hardware/case_compiler.hpp"
#include "profiler/execution/ptx/tests/hardware/compare_counters.hpp"
#include "profiler/execution/ptx/tests/hardware/compare_outputs.hpp"
#include "profiler/execution/ptx/tests/hardware/fault_cases.hpp"
#include "profiler/execution/ptx/tests/hardware/gpu_run.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_record.hpp"
#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace {

using namespace tilescope;
using namespace tilescope::hardware;
namespace fs = std::filesystem;

struct Arguments {
  fs::path ptx, to, recorded;
  std::string only;
  std::string name;
  bool repaired = false;
};

std::vector<Case> chosen_cases(const Arguments& arguments) {
  std::vector<Case> cases = all_cases(find_installation().root);
  std::erase_if(cases, [&](const Case& one) { return !one.name.starts_with(arguments.only); });
  if (cases.empty())
    throw std::runtime_error("no case's name starts with '" + arguments.only + "'; see list");
  return cases;
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read " + file.string() + "; make it with the compile command");
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

void list(const Arguments& arguments) {
  for (const Case& one : chosen_cases(arguments)) std::cout << one.name << '\n';
}

void list_faults() {
  for (const FaultKernel& kernel : fault_kernels()) std::cout << kernel.name << '\n';
}

void compile(const Arguments& arguments) {
  const Installation installation = find_installation();
  const CaseCompiler compiler(installation.root, installation.dependencies, installation.cache);
  std::vector<Case> cases = all_cases(installation.root);
  for (const FaultKernel& kernel : fault_kernels()) {
    for (const bool planted : {false, true}) cases.push_back(fault_case(kernel, planted));
  }
  fs::create_directories(arguments.to);
  std::set<std::string> written;
  for (const Case& one : cases) {
    const std::string name = one.kernel.ptx_name();
    if (written.insert(name).second) write_file(arguments.to / name, compiler.ptx(one.kernel));
  }
  std::cout << cases.size() << " cases of " << written.size() << " PTX files, NVRTC "
            << compiler.nvrtc_version() << '\n';
}

/// The compared regions of all cases one after the other, with their offsets.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& folder) {
    if (folder.empty()) return;
    fs::create_directories(folder);
    bytes_.open(folder / "outputs.bin", std::ios::binary);
  }
  Json append(const Case& one, const std::vector<std::vector<std::byte>>& buffers) {
    Json regions = Json::array();
    for (const Region& region : one.regions) {
      const std::span<const std::byte> bytes = bytes_of_region(region, buffers);
      bytes_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      regions.push_back({{"name", region.name}, {"offset", offset_}, {"bytes", bytes.size()}});
      offset_ += bytes.size();
    }
    return regions;
  }

 private:
  std::ofstream bytes_;
  std::size_t offset_ = 0;
};

/// A case that the GPU rejects is recorded with the reason; one that poisons the context ends the run.
void run_gpu(const Arguments& arguments) {
  const cuda::GpuRunner gpu(0);
  OutputFile outputs(arguments.to);
  Json document = {
      {"driver", cuda::Driver::get().version_text()}, {"arch", gpu.arch()}, {"cases", Json::array()}};
  for (const Case& one : chosen_cases(arguments)) {
    const std::string ptx = read_file(arguments.ptx / one.kernel.ptx_name());
    Json entry = {{"name", one.name}, {"entry", one.kernel.entry}, {"ptx_sha256", sha256(ptx)}};
    bool poisoned = false;
    try {
      entry["regions"] = outputs.append(one, run_on_gpu(gpu, one, ptx));
    } catch (const cuda::CudaError& error) {
      entry["error"] = error.what();
      poisoned = error.is_sticky();
    } catch (const std::runtime_error& error) {
      entry["error"] = error.what();
    }
    if (entry.contains("error")) std::cerr << one.name << ": " << entry["error"].get<std::string>() << '\n';
    document["cases"].push_back(std::move(entry));
    if (poisoned) break;
  }
  if (!arguments.to.empty()) write_file(arguments.to / "outputs.json", to_indented_text(document));
  std::cout << document["cases"].size() << " cases ran\n";
}

/// The part of a recorded outputs.bin that belongs to a region.
std::span<const std::byte> recorded_bytes(const std::string& outputs, const Json& regions,
                                          std::size_t index) {
  const Json& region = regions.at(index);
  return std::as_bytes(std::span(outputs)).subspan(region.at("offset"), region.at("bytes"));
}

void print_costs(const Case& one, const Interpreted& result) {
  std::printf("%s: %.3f s, %.1f M warp instructions\n", one.name.c_str(), result.traced.run.seconds,
              static_cast<double>(result.traced.run.warp_instructions) / 1e6);
  for (const auto& [operation, cost] : cost_by_operation(result.traced.memory)) {
    std::printf("  %-16s %9lld executions %9lld wavefronts %9lld at least\n", operation.c_str(),
                static_cast<long long>(cost.executions), static_cast<long long>(cost.wavefronts),
                static_cast<long long>(cost.minimum));
  }
  for (const Finding& finding : result.traced.findings) std::printf("  %s\n", finding.text.c_str());
}

/// Runs the cases in the interpreter; with a folder that the gpu command wrote, compares outputs.
void interpret_all(const Arguments& arguments) {
  Json recorded;
  std::string outputs;
  if (!arguments.recorded.empty()) {
    const Json document = Json::parse(read_file(arguments.recorded / "outputs.json"));
    for (const Json& entry : document.at("cases")) {
      recorded[entry.at("name").get<std::string>()] = entry;
    }
    outputs = read_file(arguments.recorded / "outputs.bin");
  }
  for (const Case& one : chosen_cases(arguments)) {
    try {
      const Interpreted result = interpret(one, read_file(arguments.ptx / one.kernel.ptx_name()));
      print_costs(one, result);
      if (!recorded.contains(one.name) || !recorded[one.name].contains("regions")) continue;
      for (std::size_t i = 0; i < one.regions.size(); ++i) {
        const Region& region = one.regions[i];
        const RegionComparison found = compare(region, bytes_of_region(region, result.buffers),
                                               recorded_bytes(outputs, recorded[one.name]["regions"], i));
        std::printf("  output %-18s %zu of %zu differ, %zu too much; at most %.3g, %.3g relative %s\n",
                    region.name.c_str(), found.unequal, found.compared, found.outside, found.worst_absolute,
                    found.worst_relative, found.first_outside.c_str());
      }
    } catch (const std::exception& error) {
      std::printf("%s: FAILED: %s\n", one.name.c_str(), error.what());
    }
  }
}

/// The table of README.md: every counter over all cases in which it is not 0, against the recorded GPU.
void print_counters(const Arguments& arguments) {
  struct Row {
    int cases = 0, equal = 0, within = 0, explained = 0;
    double worst = 0;
    std::string worst_case = "-";
  };
  const HardwareRecord record(find_installation().root);
  std::map<std::string, Row> rows;
  for (const Case& one : chosen_cases(arguments)) {
    const Interpreted result = interpret(one, read_file(arguments.ptx / one.kernel.ptx_name()));
    for (const CounterComparison& found : compare_counters(one, record, result.traced.memory)) {
      if (found.gpu == 0 && found.here == 0) continue;
      Row& row = rows[found.counter];
      ++row.cases;
      row.equal += found.here == found.gpu ? 1 : 0;
      row.within += found.deviation() <= 0.03 ? 1 : 0;
      row.explained += found.here != found.gpu && !found.why.empty() ? 1 : 0;
      if (found.deviation() > row.worst) {
        row.worst = found.deviation();
        row.worst_case = one.name;
      }
    }
  }
  std::printf(
      "| counter | cases | equal | within 3 %% | explained | worst deviation | in "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const auto& [counter, row] : rows) {
    std::printf("| %s | %d | %d | %d | %d | %.2f %% | %s |\n", counter.c_str(), row.cases, row.equal,
                row.within, row.explained, 100 * row.worst, row.worst_case.c_str());
  }
}

/// The cases in the file that were not recorded again now. Recordings of another driver or GPU are not mixed.
Json kept_of_others(const fs::path& file, const Json& recorded) {
  Json document = {
      {"driver", recorded.at("driver")}, {"arch", recorded.at("arch")}, {"cases", Json::array()}};
  if (!fs::exists(file)) return document;
  const Json old = Json::parse(read_file(file));
  if (old.at("driver") != document["driver"] || old.at("arch") != document["arch"]) {
    throw std::runtime_error(
        file.string() + " was recorded with driver " + old.at("driver").get<std::string>() + " on " +
        old.at("arch").get<std::string>() + ": record all cases, and write them to a new file");
  }
  std::set<std::string> names;
  for (const Json& entry : recorded.at("cases")) names.insert(entry.at("name").get<std::string>());
  for (const Json& entry : old.at("cases")) {
    if (!names.contains(entry.at("name").get<std::string>())) document["cases"].push_back(entry);
  }
  return document;
}

/// Writes the part of the GPU's outputs that the tests use.
void sample(const Arguments& arguments) {
  const Json recorded = Json::parse(read_file(arguments.recorded / "outputs.json"));
  const std::string outputs = read_file(arguments.recorded / "outputs.bin");
  std::map<std::string, Case> cases;
  for (Case& one : all_cases(find_installation().root)) cases.emplace(one.name, std::move(one));
  Json document = kept_of_others(arguments.to, recorded);
  for (const Json& entry : recorded.at("cases")) {
    const Case& one = cases.at(entry.at("name"));
    const std::string ptx = read_file(arguments.ptx / one.kernel.ptx_name());
    if (sha256(ptx) != entry.at("ptx_sha256").get<std::string>()) {
      throw std::runtime_error(one.name + ": " + one.kernel.ptx_name() + " is not the PTX that the GPU ran");
    }
    Json kept = {{"name", one.name}, {"code_sha256", code_sha256(ptx)}};
    if (entry.contains("error")) kept["error"] = entry["error"];
    if (entry.contains("regions")) {
      for (std::size_t i = 0; i < one.regions.size(); ++i) {
        kept["regions"].push_back(keep_region(one.regions[i], recorded_bytes(outputs, entry["regions"], i)));
      }
    }
    document["cases"].push_back(std::move(kept));
  }
  write_file(arguments.to, document.dump(1) + "\n");
}

/// Runs one fault kernel, under compute-sanitizer.
void run_fault(const Arguments& arguments) {
  for (const FaultKernel& kernel : fault_kernels()) {
    if (kernel.name != arguments.name) continue;
    const Case one = fault_case(kernel, !arguments.repaired);
    run_on_gpu(cuda::GpuRunner(0), one, read_file(arguments.ptx / one.kernel.ptx_name()));
    std::cout << one.name << " ran\n";
    return;
  }
  throw std::runtime_error("no fault kernel is named '" + arguments.name + "'; see faults");
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  CLI::App app{"Launches that a GPU and the PTX interpreter both make, to be compared."};
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* help, auto action) {
    CLI::App* added = app.add_subcommand(name, help);
    added->callback([action, &arguments] { action(arguments); });
    return added;
  };
  command("list", "the cases' names", list)->add_option("--only", arguments.only, "start of the names");
  command("faults", "the fault kernels' names", [](const Arguments&) { list_faults(); });
  command("compile", "write the PTX of all cases and fault kernels", compile)
      ->add_option("--to", arguments.to, "folder")
      ->required();
  CLI::App* gpu = command("gpu", "run every case once on the GPU, in the order of the list", run_gpu);
  gpu->add_option("--ptx", arguments.ptx, "folder that compile wrote")->required();
  gpu->add_option("--to", arguments.to, "folder for outputs.bin and outputs.json; none: outputs are dropped");
  gpu->add_option("--only", arguments.only, "start of the names");
  CLI::App* here = command("interpret", "run every case in the interpreter", interpret_all);
  here->add_option("--ptx", arguments.ptx, "folder that compile wrote")->required();
  here->add_option("--recorded", arguments.recorded, "folder that gpu wrote: compares the outputs with it");
  here->add_option("--only", arguments.only, "start of the names");
  CLI::App* table =
      command("counters", "the interpreter's counters against the recorded GPU's", print_counters);
  table->add_option("--ptx", arguments.ptx, "folder that compile wrote")->required();
  table->add_option("--only", arguments.only, "start of the names");
  CLI::App* keep = command("sample", "keep of the GPU's outputs what the tests compare", sample);
  keep->add_option("--ptx", arguments.ptx, "folder that compile wrote")->required();
  keep->add_option("--recorded", arguments.recorded, "folder that gpu wrote")->required();
  keep->add_option("--to", arguments.to, "file; one that is there keeps its other cases")->required();
  CLI::App* fault = command("fault", "run one fault kernel on the GPU", run_fault);
  fault->add_option("name", arguments.name)->required();
  fault->add_option("--ptx", arguments.ptx, "folder that compile wrote")->required();
  fault->add_flag("--repaired", arguments.repaired, "the twin without the fault");
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
