#include "profiler/execution/sass/instruction_facts.hpp"

#include <algorithm>

#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/sass/disassembly.hpp"

namespace tilescope::sass {

bool InstructionParts::has(std::string_view modifier) const {
  return std::find(words.begin() + 1, words.end(), modifier) != words.end();
}

simt::MachineFacts facts_of(const Opcode& opcode, const InstructionParts& parts) {
  simt::MachineFacts facts;
  facts.opcode = &opcode;
  if (opcode.read_facts != nullptr) opcode.read_facts(parts, facts);
  return facts;
}

simt::DataFacts data_facts_of(const Opcode& opcode, const InstructionParts& parts) {
  simt::DataFacts facts{.use = opcode.use};
  if (opcode.floats != nullptr) facts.floats = opcode.floats(parts);
  return facts;
}

simt::MachineFacts facts_of(std::string_view text) {
  const Instruction instruction = parse_instruction(text);
  DecodeState state(255);
  const InstructionWord word;
  const Decoder decoder(instruction, word, state);
  return facts_of(decoder.known_opcode(), decoder.parts());
}

}  // namespace tilescope::sass
