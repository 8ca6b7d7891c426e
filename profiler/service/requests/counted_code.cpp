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

// "LDS" of "@!P0 LDS.128 R4, [R2+0x10]"
std::string opcode_of(const CountedInstruction& instruction) {
  std::string text = instruction.text;
  if (text.starts_with('@')) text.erase(0, std::min(text.find(' '), text.size() - 1) + 1);
  return text.substr(0, text.find_first_of(". "));
}

}  // namespace

std::string source_place(const CountedInstruction& instruction) {
  std::string place = accessing_place(instruction.inlined);
  if (!place.empty() || instruction.line == 0) return place;
  return instruction.file + ":" + std::to_string(instruction.line);
}

std::vector<IssueShare> issue_by_line(const CountedCode& code) {
  return shares(code, source_place);
}

std::vector<IssueShare> issue_by_opcode(const CountedCode& code) {
  return shares(code, opcode_of);
}

constexpr auto instruction_members = [](const auto& object, auto& instruction) {
  object.required("address", instruction.address);
  object.required("text", instruction.text);
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
};

void to_json(Json& json, const CountedInstruction& instruction) {
  instruction_members(ObjectWriter(json), instruction);
}

void from_json(const Json& json, CountedInstruction& instruction) {
  instruction_members(ObjectReader(json), instruction);
}

void from_json(const Json& json, IssueLimit& limit) {
  const ObjectReader object(json);
  object.required("what", limit.what);
  object.required("cycles", limit.cycles);
}

void from_json(const Json& json, PipeShare& share) {
  const ObjectReader object(json);
  object.required("pipe", share.pipe);
  object.required("instructions", share.instructions);
  object.required("cycles", share.cycles);
  object.required("shared_by_quarters", share.is_shared_by_quarters);
}

void to_json(Json& json, const IssueShare& share) {
  json =
      Json{{"name", share.name}, {"executions", share.executions}, {"cycles", number_or_null(share.cycles)}};
}

void to_json(Json& json, const IssueLimit& limit) {
  json = Json{{"what", limit.what}, {"cycles", number_or_null(limit.cycles)}};
}

void to_json(Json& json, const PipeShare& share) {
  json = Json{{"pipe", share.pipe},
              {"instructions", share.instructions},
              {"cycles", number_or_null(share.cycles)},
              {"shared_by_quarters", share.is_shared_by_quarters}};
}

void to_json(Json& json, const CountedCode& code) {
  json = Json{{"architecture", text_or_null(code.architecture)},
              {"why_none", text_or_null(code.why_none)},
              {"instructions", code.instructions},
              {"issue",
               {{"warps", code.warps},
                {"sms", code.sms == 0 ? Json() : Json(code.sms)},
                {"resident_warps", code.resident_warps == 0 ? Json() : Json(code.resident_warps)},
                {"warp_cycles", number_or_null(code.warp_cycles)},
                {"limits", code.limits},
                {"pipes", code.pipes},
                {"lines", issue_by_line(code)},
                {"opcodes", issue_by_opcode(code)}}}};
}

void from_json(const Json& json, CountedCode& code) {
  CountedCode read;
  const ObjectReader object(json);
  object.optional("architecture", read.architecture);
  object.optional("why_none", read.why_none);
  object.required("instructions", read.instructions, read_list<CountedInstruction>);
  at_place("issue", [&] {
    const ObjectReader issue(object.find_required("issue"));
    issue.required("warps", read.warps);
    issue.optional("sms", read.sms);
    issue.optional("resident_warps", read.resident_warps);
    issue.required("warp_cycles", read.warp_cycles);
    issue.required("limits", read.limits, read_list<IssueLimit>);
    issue.required("pipes", read.pipes, read_list<PipeShare>);
  });
  code = std::move(read);
}

}  // namespace tilescope
