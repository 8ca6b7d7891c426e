#include "profiler/execution/sass/tests/damaged_code/code_damage.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

namespace tilescope::damaged_code {
namespace {

using sass::Instruction;

const std::vector<std::string> far_operands = {"R0",
                                               "R254",
                                               "RZ",
                                               "R3.64",
                                               "R4.H1_H1",
                                               "UR0",
                                               "UR62",
                                               "UR63",
                                               "URZ",
                                               "P0",
                                               "P6",
                                               "PT",
                                               "!PT",
                                               "UP6",
                                               "UPT",
                                               "B0",
                                               "B15",
                                               "SB0",
                                               "SB5",
                                               "PR",
                                               "SRZ",
                                               "SR_TID.X",
                                               "SR_CLOCKLO",
                                               "0x0",
                                               "0x1",
                                               "0x1f",
                                               "0x20",
                                               "0x7fffffff",
                                               "0x80000000",
                                               "0xffffffff",
                                               "0xffffffffffffffff",
                                               "-0x8000000000000000",
                                               "-0x1",
                                               "1.5",
                                               "+INF",
                                               "-QNAN",
                                               "1e300",
                                               "c[0x0][0x160]",
                                               "c[0x0][0x28]",
                                               "c[0x0][0xfffc]",
                                               "c[0x3][0x0]",
                                               "c[0x2][0x7ffc]",
                                               "c[0x1f][0x10]",
                                               "c[0x0][R2+0x4]",
                                               "[R2]",
                                               "[RZ+0xffffff]",
                                               "[R254+-0x800000]",
                                               "[R2.64+0x7fffff]",
                                               "[UR62]",
                                               "desc[UR4][R2.64]",
                                               "desc[UR62][R254.64+0x10]",
                                               "|R3|",
                                               "-R3",
                                               "~R3",
                                               "`(.L_x_0)",
                                               "`(.L_x_99)",
                                               "`(nothing)",
                                               "32@lo((nothing + .L_x_1@srel))",
                                               "32@hi(nothing)",
                                               "{0,1,2,3,4,5}",
                                               "R2.B3",
                                               "-|R2|.H0_H0"};

const std::vector<std::uint64_t> far_numbers = {
    0,   1,   3,   7,   15,  16,   31,   32,    33,      63,         64,         127,
    128, 253, 254, 255, 256, 1023, 4096, 65535, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};

// Its words and operands.
void add(const Instruction& one, std::set<std::string>& predicates, std::set<std::string>& opcodes,
         std::set<std::string>& modifiers, std::set<std::string>& operands) {
  predicates.insert(one.predicate);
  opcodes.insert(one.opcode);
  std::string_view rest = one.opcode;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    modifiers.emplace(rest.substr(0, rest.find('.')));
  }
  operands.insert(one.operands.begin(), one.operands.end());
}

// Replaces one of its numbers.
std::string with_other_number(std::string text, Choices& choices) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;  // first, length
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0 &&
           std::isupper(static_cast<unsigned char>(text[end])) == 0)
      ++end;
    if (end > i) runs.emplace_back(i, end - i);
    i = std::max(end, i + 1);
  }
  if (runs.empty()) return text;
  const auto [first, length] = choices.of(runs);
  const std::uint64_t number = choices.one_in(4) ? choices.bits() : choices.of(far_numbers);
  const bool is_hex = first >= 2 && text.compare(first - 2, 2, "0x") == 0;
  return text.replace(first, length, is_hex ? fmt::format("{:x}", number) : fmt::format("{}", number));
}

// "R", "UR", "[", "c[": what an operand begins with.
std::string_view kind_of(std::string_view operand) {
  constexpr std::string_view signs = "-~!|";
  operand.remove_prefix(std::min(operand.find_first_not_of(signs), operand.size()));
  const std::size_t end = operand.find_first_of("0123456789ZT_");
  return operand.substr(0, std::min<std::size_t>(std::max<std::size_t>(end, 1), 3));
}

std::string one_of_its_kind(const std::string& operand, const Vocabulary& vocabulary, Choices& choices) {
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    const std::string& other = choices.of(vocabulary.operands);
    if (kind_of(other) == kind_of(operand)) return other;
  }
  return operand;
}

void change_operands(Instruction& one, const Vocabulary& vocabulary, Choices& choices) {
  std::vector<std::string>& operands = one.operands;
  const auto any = [&] {
    return choices.one_in(3) ? choices.of(far_operands) : choices.of(vocabulary.operands);
  };
  const std::size_t at = choices.below(operands.size());
  switch (choices.below(operands.empty() ? 1 : 8)) {
    case 0:
      operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(at), any());
      break;
    case 1:
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      std::swap(operands[at], operands[choices.below(operands.size())]);
      break;
    case 3:
      operands[at] = any();
      break;
    case 4:
      operands[at] = with_other_number(operands[at], choices);
      break;
    default:
      operands[at] = one_of_its_kind(operands[at], vocabulary, choices);
  }
}

void change_modifiers(Instruction& one, const Vocabulary& vocabulary, Choices& choices) {
  std::vector<std::size_t> dots;
  for (std::size_t i = 0; i < one.opcode.size(); ++i) {
    if (one.opcode[i] == '.') dots.push_back(i);
  }
  if (dots.empty() || choices.one_in(2)) {
    const std::size_t at = dots.empty() || choices.one_in(2) ? one.opcode.size() : choices.of(dots);
    one.opcode.insert(at, "." + choices.of(vocabulary.modifiers));
    return;
  }
  const std::size_t dot = choices.of(dots);
  const std::size_t end = std::min(one.opcode.find('.', dot + 1), one.opcode.size());
  one.opcode.erase(dot, end - dot);
  if (choices.one_in(2)) one.opcode.insert(dot, "." + choices.of(vocabulary.modifiers));
}

void change(Instruction& one, const Vocabulary& vocabulary, Choices& choices) {
  switch (choices.below(8)) {
    case 0:
      change_modifiers(one, vocabulary, choices);
      break;
    case 1:
      one.predicate = choices.of(vocabulary.predicates);
      break;
    case 2:
      one.opcode = choices.of(vocabulary.opcodes);
      break;
    case 3: {
      const Instruction& other = choices.of(vocabulary.instructions);
      one.predicate = other.predicate;
      one.opcode = other.opcode;
      one.operands = other.operands;
      break;
    }
    default:
      change_operands(one, vocabulary, choices);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

bool is_instruction(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line.compare(first, 2, "/*") == 0 && line.ends_with(';');
}

void change_line(std::string& line, const Vocabulary& vocabulary, Choices& choices) {
  Instruction one;
  try {
    one = sass::parse_disassembly("\t.section\t.text.k\n" + line + "\n").functions.at(0).instructions.at(0);
  } catch (const sass::DisassemblyError&) {
    return;  // it was changed before
  }
  if (choices.one_in(40)) one.address = with_other_number("0", choices).size() * 16 + one.address;
  do {
    change(one, vocabulary, choices);
  } while (choices.one_in(4));
  line = fmt::format("        /*{:04x}*/ {} ;", one.address, sass::text_of(one));
}

void change_character(std::string& text, Choices& choices) {
  constexpr std::string_view characters = " \t\n.,;:[](){}`@!~|-+*/\"0123456789abcxRUPBSZ";
  if (text.empty()) return;
  const std::size_t at = choices.below(text.size());
  if (choices.one_in(3)) {
    text.erase(at, 1);
  } else {
    text[at] = characters[choices.below(characters.size())];
  }
}

struct Range {
  std::size_t first = 0, bytes = 0;
};

// Sections of the file, its headers among them; of an intact file.
std::vector<Range> ranges_of(const std::vector<char>& cubin, std::string_view name_prefix) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), cubin.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::vector<Range> ranges;
  if (name_prefix.empty()) {
    ranges = {{0, sizeof header}, {header.e_shoff, sections.size() * sizeof(Elf64_Shdr)}};
  }
  for (const Elf64_Shdr& section : sections) {
    const std::string_view name = cubin.data() + sections[header.e_shstrndx].sh_offset + section.sh_name;
    if (section.sh_type == SHT_NOBITS || section.sh_size == 0 || !name.starts_with(name_prefix)) continue;
    ranges.push_back({section.sh_offset, section.sh_size});
  }
  return ranges;
}

}  // namespace

Vocabulary vocabulary_of(const std::vector<IntactCode>& codes) {
  std::set<std::string> predicates, opcodes, modifiers, operands;
  std::set<std::string> texts;
  Vocabulary vocabulary;
  for (const IntactCode& code : codes) {
    for (const sass::Function& function : sass::parse_disassembly(code.text).functions) {
      for (const Instruction& one : function.instructions) {
        add(one, predicates, opcodes, modifiers, operands);
        if (texts.insert(text_of(one)).second) vocabulary.instructions.push_back(one);
      }
    }
  }
  vocabulary.predicates.assign(predicates.begin(), predicates.end());
  vocabulary.opcodes.assign(opcodes.begin(), opcodes.end());
  vocabulary.modifiers.assign(modifiers.begin(), modifiers.end());
  vocabulary.operands.assign(operands.begin(), operands.end());
  return vocabulary;
}

std::string damaged_text(const std::string& text, const Vocabulary& vocabulary, Choices& choices) {
  std::vector<std::string> lines = lines_of(text);
  std::vector<std::size_t> instructions;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_instruction(lines[i])) instructions.push_back(i);
  }
  do {
    if (!instructions.empty()) change_line(lines[choices.of(instructions)], vocabulary, choices);
  } while (choices.one_in(3));
  std::string changed;
  for (const std::string& line : lines) changed += line + "\n";
  if (choices.one_in(16)) change_character(changed, choices);
  return changed;
}

std::vector<char> damaged_file(std::vector<char> cubin, Choices& choices) {
  const std::vector<Range> ranges = ranges_of(cubin, "");
  const Range range = choices.of(ranges);
  for (std::size_t changes = 1 + choices.below(3); changes > 0; --changes)
    cubin[range.first + choices.below(range.bytes)] = static_cast<char>(choices.bits(1));
  return cubin;
}

std::vector<char> damaged_words(std::vector<char> cubin, Choices& choices) {
  constexpr std::size_t word_bytes = 16;
  const std::vector<Range> code = ranges_of(cubin, ".text.");
  for (std::size_t changes = 1 + choices.below(3); changes > 0; --changes) {
    const Range range = choices.of(code);
    char* const word = cubin.data() + range.first + word_bytes * choices.below(range.bytes / word_bytes);
    if (choices.one_in(4)) {
      for (std::size_t i = 0; i < word_bytes; ++i) word[i] = static_cast<char>(choices.bits(1));
      continue;
    }
    const std::size_t bit = choices.below(8 * word_bytes);
    word[bit / 8] = static_cast<char>(word[bit / 8] ^ (1 << bit % 8));
  }
  return cubin;
}

}  // namespace tilescope::damaged_code
