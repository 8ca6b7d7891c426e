#include "profiler/execution/memory/value_source.hpp"

#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

using Registers = std::vector<std::string_view>;

constexpr std::size_t most_instructions = 400;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "R12", "UR4": not RZ, which holds nothing.
bool is_machine_register(std::string_view word) {
  if (word.starts_with('U')) word.remove_prefix(1);
  return word.size() > 1 && word[0] == 'R' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

// The registers that a part of an instruction names, in order.
Registers registers_in(std::string_view text, bool is_machine_code) {
  Registers found;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_name = text[at] == '%' || is_word(text[at]);
    std::size_t end = at + 1;
    while (begins_name && end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_machine_code ? is_machine_register(word) : word.size() > 1 && word[0] == '%')
      found.push_back(word);
    at = end;
  }
  return found;
}

struct Parts {
  std::string_view opcode, mnemonic, operands;
  bool has_guard = false;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  parts.has_guard = text.starts_with('@');
  parts.opcode = opcode_of(text);
  parts.mnemonic = mnemonic_of(text);
  if (!parts.mnemonic.empty())
    parts.operands =
        text.substr(static_cast<std::size_t>(parts.mnemonic.data() - text.data()) + parts.mnemonic.size());
  return parts;
}

bool loads(const Parts& parts) {
  return parts.opcode == "ld" || parts.opcode == "ldu" || parts.opcode.starts_with("LD");
}
bool loads_global(const Parts& parts) {
  if (parts.opcode == "LDG" || parts.opcode == "LD") return true;
  if (parts.opcode != "ld" && parts.opcode != "ldu") return false;
  for (const std::string_view other : {".shared", ".param", ".const", ".local"}) {
    if (parts.mnemonic.find(other) != std::string_view::npos) return false;
  }
  return true;
}
bool writes_no_register(const Parts& parts) {
  for (const std::string_view opcode : {"st", "red", "bra", "bar", "ST", "STG", "STS", "STL", "RED", "BRA"}) {
    if (parts.opcode == opcode) return true;
  }
  return parts.opcode.empty();
}

class LoadSearch {
 public:
  explicit LoadSearch(const simt::Program& program) : program_(program) {}

  bool reaches_load(std::size_t store) {
    const Parts parts = parts_at(store);
    const std::size_t behind = parts.operands.find(']');
    if (behind == std::string_view::npos) return false;
    want(registers_in(parts.operands.substr(behind), program_.is_machine_code));
    const std::size_t first = store > most_instructions ? store - most_instructions : 0;
    for (std::size_t at = store; at-- > first && !wanted_.empty();) {
      if (program_.code[at].flow == simt::Flow::enter_block) continue;
      if (passes(parts_at(at))) return true;
    }
    return false;
  }

 private:
  Parts parts_at(std::size_t at) const { return parts_of(program_.origins[program_.code[at].origin].text); }
  void want(const Registers& registers) { wanted_.insert(registers.begin(), registers.end()); }

  // Whether it loads a wanted register; else what it computes it from is wanted.
  bool passes(const Parts& parts) {
    if (writes_no_register(parts)) return false;
    const std::size_t bracket = loads(parts) ? parts.operands.find('[') : std::string_view::npos;
    const Registers all = registers_in(parts.operands, program_.is_machine_code);
    const Registers results = bracket == std::string_view::npos
                                  ? Registers(all.begin(), all.begin() + (all.empty() ? 0 : 1))
                                  : registers_in(parts.operands.substr(0, bracket), program_.is_machine_code);
    bool is_wanted = false;
    for (const std::string_view result : results) is_wanted = is_wanted || wanted_.contains(result);
    if (!is_wanted) return false;
    if (loads_global(parts)) return true;
    if (!parts.has_guard) {
      for (const std::string_view result : results) wanted_.erase(result);
    }
    if (!loads(parts)) want(Registers(all.begin() + 1, all.end()));
    return false;
  }

  const simt::Program& program_;
  std::set<std::string_view> wanted_;
};

}  // namespace

bool stores_loaded_value(const simt::Program& program, std::size_t store) {
  return LoadSearch(program).reaches_load(store);
}

}  // namespace tilescope
