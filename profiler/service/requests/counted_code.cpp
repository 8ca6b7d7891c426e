#include "profiler/service/requests/counted_code.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/object_writer.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {
namespace {

std::vector<IssueShare> shares(const CountedCode& code,
                               const std::function<std::string(const CountedInstruction&)>& name) {
  std::map<std::string, IssueShare> by_name;
  for (const CountedInstruction& instruction : code.instructions) {
    if (instruction.executions == 0) continue;
    IssueShare& share = by_name[name(instruction)];
    share.executions += instruction.executions;
    share.cycles += instruction.issue_cycles();
  }
  std::vector<IssueShare> all;
  for (auto& [key, share] : by_name) {
    share.name = key;
    all.push_back(std::move(share));
  }
  std::ranges::stable_sort(all, std::greater{}, &IssueShare::cycles);
  return all;
}

}  // namespace

std::string source_place(const CountedInstruction& instruction) {
  std::string place = accessing_place(instruction.inlined);
  if (!place.empty() || instruction.line == 0) return place;
  return instruction.file + ":" + std::to_string(instruction.line);
}

void add_times(const std::vector<InstructionTime>& times, CountedCode& code) {
  std::map<std::int64_t, const InstructionTime*> by_address;
  for (const InstructionTime& time : times) by_address.emplace(time.address, &time);
  for (CountedInstruction& instruction : code.instructions) {
    const auto found = by_address.find(instruction.address);
    if (found == by_address.end()) continue;
    instruction.issue_us = found->second->issue_us;
    instruction.wait_us = found->second->wait_us;
  }
}

std::vector<IssueShare> issue_by_line(const CountedCode& code) {
  return shares(code, source_place);
}

std::vector<IssueShare> issue_by_opcode(const CountedCode& code) {
  return shares(code, [](const CountedInstruction& instruction) { return instruction.opcode; });
}

constexpr auto instruction_members = [](const auto& object, auto& instruction) {
  object.required("address", instruction.address);
  object.required("text", instruction.text);
  object.optional("opcode", instruction.opcode);
  object.optional("file", instruction.file);
  object.required("line", instruction.line);
  object.optional("inlined", instruction.inlined);
  object.required("pipes", instruction.pipes);
  object.required("executions", instruction.executions);
  object.required("threads", instruction.threads);
  object.required("threads_on", instruction.threads_on);
  object.optional("shared_wavefronts", instruction.shared_wavefronts);
  object.optional("shared_wavefronts_minimum", instruction.shared_wavefronts_minimum);
  object.optional("global_sectors", instruction.global_sectors);
  object.optional("global_sectors_minimum", instruction.global_sectors_minimum);
  object.required("stall_cycles", instruction.stall_cycles);
  object.required("wait_cycles", instruction.wait_cycles);
  object.required("waits_for", instruction.waits_for);
  object.optional("write_scoreboard", instruction.write_scoreboard);
  object.optional("read_scoreboard", instruction.read_scoreboard);
  object.optional("issue_us", instruction.issue_us);
  object.optional("wait_us", instruction.wait_us);
};

void to_json(Json& json, const CountedInstruction& instruction) {
  instruction_members(ObjectWriter(json), instruction);
}

void from_json(const Json& json, CountedInstruction& instruction) {
  instruction_members(ObjectReader(json), instruction);
}

constexpr auto limit_members = [](const auto& object, auto& limit) {
  object.required("what", limit.what);
  object.required("cycles", limit.cycles);
};

void to_json(Json& json, const IssueLimit& limit) {
  limit_members(ObjectWriter(json), limit);
}

void from_json(const Json& json, IssueLimit& limit) {
  limit_members(ObjectReader(json), limit);
}

constexpr auto pipe_members = [](const auto& object, auto& share) {
  object.required("pipe", share.pipe);
  object.required("instructions", share.instructions);
  object.required("cycles", share.cycles);
  object.required("shared_by_quarters", share.is_shared_by_quarters);
};

void to_json(Json& json, const PipeShare& share) {
  pipe_members(ObjectWriter(json), share);
}

void from_json(const Json& json, PipeShare& share) {
  pipe_members(ObjectReader(json), share);
}

void to_json(Json& json, const IssueShare& share) {
  json =
      Json{{"name", share.name}, {"executions", share.executions}, {"cycles", number_or_null(share.cycles)}};
}

constexpr auto issue_members = [](const auto& object, auto& code) {
  object.required("warps", code.warps);
  object.optional("sms", code.sms, one_or_more);
  object.optional("resident_warps", code.resident_warps, one_or_more);
  object.required("warp_cycles", code.warp_cycles);
  object.required("limits", code.limits, read_list<IssueLimit>);
  object.required("pipes", code.pipes, read_list<PipeShare>);
};

constexpr auto code_members = [](const auto& object, auto& code) {
  object.optional("architecture", code.architecture);
  object.optional("why_none", code.why_none);
  object.required("instructions", code.instructions, read_list<CountedInstruction>);
};

void to_json(Json& json, const CountedCode& code) {
  code_members(ObjectWriter(json), code);
  Json& issue = json["issue"];
  issue_members(ObjectWriter(issue), code);
  issue["lines"] = issue_by_line(code);
  issue["opcodes"] = issue_by_opcode(code);
}

void from_json(const Json& json, CountedCode& code) {
  CountedCode read;
  const ObjectReader object(json);
  code_members(object, read);
  at_place("issue", [&] { issue_members(ObjectReader(object.find_required("issue")), read); });
  code = std::move(read);
}

}  // namespace tilescope
