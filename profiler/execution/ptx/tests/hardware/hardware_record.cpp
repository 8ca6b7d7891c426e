#include "profiler/execution/ptx/tests/hardware/hardware_record.hpp"

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

[[noreturn]] void throw_unknown(const std::string& case_name) {
  throw std::runtime_error("'" + case_name + "' was not recorded on a GPU; run record.sh again");
}

}  // namespace

HardwareRecord::HardwareRecord(const std::filesystem::path& root) {
  const std::filesystem::path folder = root / "profiler/execution/ptx/tests/hardware";
  counters_ = read_json(folder / "h200_counters.json");
  differences_ = read_json(folder / "h200_differences.json");
  const Json recorded = read_json(folder / "h200_outputs.json");
  for (const Json& entry : recorded.at("cases")) outputs_.emplace(entry.at("name").get<std::string>(), entry);
}

Counters HardwareRecord::counters(const std::string& case_name) const {
  const Json& cases = counters_.at("cases");
  const auto row = cases.find(case_name);
  if (row == cases.end()) throw_unknown(case_name);
  Counters counters;
  std::size_t column = 0;  // the rows have their numbers in the order of the metrics
  for (const auto& metric : counters_.at("metrics").items()) counters[metric.key()] = row->at(column++);
  return counters;
}

const Json& HardwareRecord::outputs(const std::string& case_name) const {
  const auto found = outputs_.find(case_name);
  if (found == outputs_.end()) throw_unknown(case_name);
  return found->second;
}

const Json& HardwareRecord::difference(const std::string& case_name) const {
  static const Json none;
  const auto found = differences().find(case_name);
  return found == differences().end() ? none : *found;
}

}  // namespace tilescope::hardware
