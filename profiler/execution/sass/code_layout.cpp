#include "profiler/execution/sass/code_layout.hpp"

#include <cstddef>
#include <map>

#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using simt::Flow;

using IndexOfAddress = std::map<std::uint32_t, std::size_t>;

bool ends_block(Flow flow) {
  switch (flow) {
    case Flow::next:
    case Flow::uniform:
    case Flow::enter_block:
      return false;
    default:
      return true;
  }
}

// Which instructions begin a basic block.
std::vector<bool> leaders_of(const DecodedCode& decoded, const CodeLabels& labels,
                             const IndexOfAddress& index) {
  const std::vector<simt::Instruction>& body = decoded.instructions;
  std::vector<bool> leaders(body.size() + 1, false);
  leaders[0] = true;
  const auto lead = [&](std::uint32_t address) {
    const auto found = index.find(address);
    if (found != index.end()) leaders[found->second] = true;
  };
  for (const auto& [name, address] : labels) lead(address);
  for (std::size_t i = 0; i < body.size(); ++i) leaders[i + 1] = leaders[i + 1] || ends_block(body[i].flow);
  if (decoded.has_jumps) {
    for (const std::uint32_t address : decoded.possible_targets) lead(address);
  }
  return leaders;
}

std::uint32_t begin_block(const simt::Instruction& first, simt::Program& program) {
  simt::Instruction enter;
  enter.flow = Flow::enter_block;
  enter.target = static_cast<std::uint32_t>(program.blocks.size());
  enter.origin = first.origin;
  const auto at = static_cast<std::uint32_t>(program.code.size());
  program.blocks.push_back({at, 0});
  program.code.push_back(enter);
  return at;
}

// Returns the place in Program::code of the block that each instruction begins; simt::no_index for the others.
std::vector<std::uint32_t> add_blocks(const DecodedCode& decoded, const std::vector<bool>& leaders,
                                      simt::Program& program) {
  const std::vector<simt::Instruction>& body = decoded.instructions;
  std::vector<std::uint32_t> enter_of(body.size(), simt::no_index);
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (leaders[i]) enter_of[i] = begin_block(body[i], program);
    program.code.push_back(body[i]);
    ++program.blocks.back().instructions;
  }
  for (const simt::BasicBlock& block : program.blocks) {
    program.code[block.first].immediate = block.instructions;
  }
  return enter_of;
}

}  // namespace

bool goes_to_label(Flow flow) {
  return flow == Flow::branch || flow == Flow::branch_if_diverged;
}

void lay_out(const DecodedCode& decoded, const CodeSections& sections, simt::Program& program) {
  IndexOfAddress index;
  for (std::size_t i = 0; i < decoded.addresses.size(); ++i) index.emplace(decoded.addresses[i], i);
  const std::vector<std::uint32_t> enter_of =
      add_blocks(decoded, leaders_of(decoded, sections.labels(), index), program);
  const auto place = [&](std::uint32_t address) {
    const auto found = index.find(address);
    return found == index.end() ? simt::no_index : enter_of[found->second];
  };
  for (simt::Instruction& instruction : program.code) {
    if (!goes_to_label(instruction.flow)) continue;
    instruction.target = place(instruction.target);
    if (instruction.target == simt::no_index) {
      throw Unsupported("the machine code '" + program.origins[instruction.origin].text +
                        "' is not executed: it goes to a place where no instruction begins");
    }
  }
  for (std::uint32_t address = 0; address < sections.end(); address += simt::Program::instruction_bytes) {
    program.code_at_address.push_back(place(address));
  }
  program.rank.assign(program.code.size(), 0);
}

}  // namespace tilescope::sass
