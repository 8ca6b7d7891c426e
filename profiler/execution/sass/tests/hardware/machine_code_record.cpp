#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"

#include <fstream>
#include <stdexcept>

#include "base/json.hpp"

namespace tilescope::hardware {
namespace {

Json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream)
    throw std::runtime_error("cannot read " + file.string() + ", which record.sh and make_fixture.py make");
  return Json::parse(stream);
}

[[noreturn]] void throw_unknown(const std::string& name) {
  throw std::runtime_error("'" + name + "' was not recorded on a GPU; run record.sh again");
}

/// Runs of equal values: [value, how many, value, how many ...]
std::vector<std::uint64_t> from_runs(const Json& runs) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2)
    values.insert(values.end(), runs.at(i + 1).get<std::size_t>(), runs.at(i).get<std::uint64_t>());
  return values;
}

/// [place, value, place, value ...]
CountsByInstruction from_pairs(const Json& pairs) {
  CountsByInstruction counts;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    counts.emplace(pairs.at(i).get<std::size_t>(), pairs.at(i + 1).get<std::uint64_t>());
  return counts;
}

}  // namespace

MachineCodeRecord::MachineCodeRecord(const std::filesystem::path& root) {
  const std::filesystem::path folder = root / "profiler/execution/sass/tests/hardware";
  counts_ = read_json(folder / "h200_machine_code.json");
  outputs_ = read_json(folder / "h200_machine_code_outputs.json");
}

std::vector<std::string> MachineCodeRecord::names() const {
  std::vector<std::string> names;
  for (const auto& launch : counts_.at("launches").items()) names.push_back(launch.key());
  return names;
}

RecordedLaunch MachineCodeRecord::counts(const std::string& name) const {
  if (!has(name)) throw_unknown(name);
  const Json& entry = counts_.at("launches").at(name);
  RecordedLaunch launch;
  launch.code_sha256 = entry.at("code_sha256");
  launch.executions = from_runs(entry.at("executions"));
  launch.threads = from_runs(entry.at("threads"));
  launch.threads_on = from_runs(entry.at("threads_on"));
  for (const auto& metric : instruction_metrics().items()) {
    if (entry.contains(metric.key()))
      launch.by_instruction[metric.key()] = from_pairs(entry.at(metric.key()));
  }
  std::size_t column = 0;  // the totals are in the order of the metrics
  for (const auto& metric : total_metrics().items())
    launch.totals[metric.key()] = entry.at("totals").at(column++);
  return launch;
}

const Json& MachineCodeRecord::outputs(const std::string& name) const {
  const Json& launches = outputs_.at("launches");
  const auto found = launches.find(name);
  if (found == launches.end()) throw_unknown(name);
  return *found;
}

}  // namespace tilescope::hardware
