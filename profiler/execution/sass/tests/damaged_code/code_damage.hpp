#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/sass/tests/damaged_code/choices.hpp"

/// Machine code that no compiler writes, made of code that one wrote.
namespace tilescope::damaged_code {

/// A cubin with nvdisasm's text of it.
struct IntactCode {
  std::vector<char> cubin;
  std::string text;
};

/// Parts that instructions are made of.
struct Vocabulary {
  std::vector<std::string> predicates, opcodes, modifiers, operands;
  std::vector<sass::Instruction> instructions;
};

/// Vocabulary of intact texts, with numbers and registers at the ends of their ranges.
Vocabulary vocabulary_of(const std::vector<IntactCode>& codes);

/// nvdisasm's text with some of its instructions changed: other operands, registers, numbers, modifiers, predicates or
/// addresses, and at times any other character.
std::string damaged_text(const std::string& text, const Vocabulary& vocabulary, Choices& choices);

/// The file with some of its bytes changed: anywhere, or in the section with this name.
std::vector<char> damaged_file(std::vector<char> cubin, Choices& choices);
/// The file with some bits of its instruction words changed, or whole words that are random.
std::vector<char> damaged_words(std::vector<char> cubin, Choices& choices);

}  // namespace tilescope::damaged_code
