#include "profiler/explanation/model/bench/launch_file.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "profiler/execution/sass/instruction_facts.hpp"

namespace tilescope::model {
namespace {

template <class T>
Json binary_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return Json::binary(std::move(bytes));
}

template <class T>
std::vector<T> values_of(const Json& binary) {
  const auto& bytes = binary.get_binary();
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Json json_of(const ExecutedInstruction& one) {
  const sass::Scheduling& s = one.scheduling;
  return {one.text,
          {s.stall_cycles, s.yields, s.write_scoreboard, s.read_scoreboard, s.wait_mask, s.reuse_mask},
          one.executions,
          one.wavefronts,
          one.wavefronts_minimum,
          one.sectors,
          one.missed_sectors,
          {one.is_shared_along[0], one.is_shared_along[1], one.is_shared_along[2]},
          one.l1_wavefronts,
          one.waiting_share,
          one.lines,
          one.missed_lines,
          one.partial_sectors,
          one.first_sectors,
          one.lanes,
          one.dram_share,
          one.constants,
          one.repeated_sectors,
          one.bytes_between};
}

ExecutedInstruction instruction_of(const Json& json) {
  ExecutedInstruction one;
  one.text = json[0].get<std::string>();
  one.facts = sass::facts_of(one.text);
  const Json& s = json[1];
  one.scheduling = {s[0].get<std::uint8_t>(), s[1].get<bool>(),         s[2].get<std::uint8_t>(),
                    s[3].get<std::uint8_t>(), s[4].get<std::uint8_t>(), s[5].get<std::uint8_t>()};
  one.executions = json[2].get<double>();
  one.wavefronts = json[3].get<double>();
  one.wavefronts_minimum = json[4].get<double>();
  one.sectors = json[5].get<double>();
  one.missed_sectors = json[6].get<double>();
  one.l1_wavefronts = json[8].get<double>();
  one.waiting_share = json[9].get<double>();
  double* const further[] = {
      &one.lines,      &one.missed_lines, &one.partial_sectors,  &one.first_sectors, &one.lanes,
      &one.dram_share, &one.constants,    &one.repeated_sectors, &one.bytes_between};
  for (std::size_t i = 0; i < std::size(further); ++i) *further[i] = json[10 + i].get<double>();
  for (std::size_t axis = 0; axis < 3; ++axis) one.is_shared_along[axis] = json[7][axis].get<bool>();
  return one;
}

}  // namespace

void write_launch(const std::filesystem::path& file, const ExecutedLaunch& launch) {
  Json json;
  json["architecture"] = launch.kernel.architecture;
  json["code"] = Json::array();
  for (const ExecutedInstruction& one : launch.kernel.code) json["code"].push_back(json_of(one));
  json["basic_blocks"] = binary_of(launch.kernel.basic_blocks);
  json["blocks"] = Json::array();
  for (const ExecutedBlock& block : launch.kernel.blocks) {
    Json warps = Json::array();
    for (const WarpPath& path : block.warps) warps.push_back(binary_of(path));
    json["blocks"].push_back({{"index", block.index}, {"warps", std::move(warps)}});
  }
  const LaunchPlan& plan = launch.plan;
  json["plan"] = {plan.grid_x,          plan.grid_y,         plan.grid_z,         plan.blocks_per_sm,
                  plan.footprint_bytes, plan.block_group,    plan.heads_of_group, plan.l1_bytes,
                  plan.output_bytes,    plan.is_touch_known, plan.l1_blocks};
  const AtomicQueue& atomics = launch.kernel.atomics;
  json["memory"] = {atomics.turns_in_one_slice, atomics.float_turns_in_one_sector,
                    launch.kernel.local_bytes_of_block, launch.kernel.is_work_taken};
  json["lengths"] = binary_of(launch.kernel.lengths);
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::optional<ExecutedLaunch> read_launch(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Json json = Json::from_cbor(bytes);
  ExecutedLaunch launch;
  launch.kernel.architecture = json.at("architecture").get<int>();
  for (const Json& one : json.at("code")) launch.kernel.code.push_back(instruction_of(one));
  launch.kernel.basic_blocks = values_of<InstructionRange>(json.at("basic_blocks"));
  for (const Json& block : json.at("blocks")) {
    ExecutedBlock executed;
    executed.index = block.at("index").get<std::uint64_t>();
    for (const Json& path : block.at("warps")) executed.warps.push_back(values_of<std::uint32_t>(path));
    launch.kernel.blocks.push_back(std::move(executed));
  }
  const Json& plan = json.at("plan");
  launch.plan.grid_x = plan[0].get<std::uint64_t>();
  launch.plan.grid_y = plan[1].get<std::uint64_t>();
  launch.plan.grid_z = plan[2].get<std::uint64_t>();
  launch.plan.blocks_per_sm = plan[3].get<std::uint64_t>();
  launch.plan.footprint_bytes = plan[4].get<double>();
  launch.plan.block_group = plan[5].get<std::uint64_t>();
  launch.plan.heads_of_group = plan[6].get<std::uint64_t>();
  launch.plan.l1_bytes = plan[7].get<double>();
  launch.plan.output_bytes = plan[8].get<double>();
  launch.plan.is_touch_known = plan[9].get<bool>();
  launch.plan.l1_blocks = plan[10].get<std::uint64_t>();
  const Json& memory = json.at("memory");
  constexpr std::size_t members = 4;
  if (memory.size() != members) return std::nullopt;  // of an older program
  launch.kernel.atomics = {memory[0].get<double>(), memory[1].get<double>()};
  launch.kernel.local_bytes_of_block = memory[2].get<double>();
  launch.kernel.is_work_taken = memory[3].get<bool>();
  launch.kernel.lengths = values_of<std::uint32_t>(json.at("lengths"));
  return launch;
}

}  // namespace tilescope::model
