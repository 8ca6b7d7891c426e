#include "profiler/explanation/model/bench/launch_set.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_prediction.hpp"

namespace tilescope::model {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20U;

}  // namespace

std::vector<TimedCase> read_timed_cases(const std::filesystem::path& table) {
  std::istringstream rows(read_regular_file(table, most_bytes));
  std::string row;
  std::getline(rows, row);
  const bool has_kinds = row.starts_with("case,kernel,graph_us,kind");
  std::vector<TimedCase> cases;
  while (std::getline(rows, row)) {
    std::istringstream cells(row);
    TimedCase one;
    std::string us;
    if (!std::getline(cells, one.name, ',') || !std::getline(cells, one.kernel, ',') ||
        !std::getline(cells, us, ','))
      throw std::runtime_error(fmt::format("{} has a row without three columns: {}", table.string(), row));
    one.us = std::stod(us);
    if (has_kinds) std::getline(cells, one.kind, ',');
    cases.push_back(std::move(one));
  }
  return cases;
}

ExecutedLaunch execute_case(Workbench& bench, const std::filesystem::path& folder, const TimedCase& timed,
                            const DeviceModel& device) {
  const std::filesystem::path launch_file = folder / "launches" / (timed.name + ".json");
  const CompiledKernel compiled =
      bench.compiler().compile_file(folder / "kernels.cu", timed.kernel, {}, device.arch);
  FileProgram decoded = decode_file(std::string(compiled.cubin.begin(), compiled.cubin.end()),
                                    InputFile::cubin, timed.kernel, bench.disassemblies());
  if (!decoded.program) throw std::runtime_error(decoded.reason);
  const Resources resources = decoded.resources;
  FileSubject subject;
  subject.entry = timed.kernel;
  subject.launch = sent_file(launch_file, read_regular_file(launch_file, most_bytes));
  FileLaunch launch(std::move(decoded), subject);
  LaunchPrediction prediction(launch.program(), resources, launch.launch(), launch.memory(), device);
  if (!prediction.why_none().empty()) throw std::runtime_error("no prediction: " + prediction.why_none());
  TraceOptions options;
  options.by_instruction = true;
  options.further_observer = [&] { return prediction.make_observer(); };
  const Traced traced = launch.run(options);
  if (traced.run.fault) throw std::runtime_error(traced.run.fault->text);
  return prediction.take(traced.by_instruction);
}

}  // namespace tilescope::model
