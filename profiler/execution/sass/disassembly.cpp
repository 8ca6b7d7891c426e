#include "profiler/execution/sass/disassembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace tilescope::sass {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view place_mark = "//## File ";
// The name under which nvdisasm shows the PTX that the binary carries.
constexpr std::string_view ptx_file = ".nv_debug_ptx_txt";

// Other contents of a section of code; the names come from the ELF file.
constexpr std::array<std::string_view, 14> directives = {
    ".target", ".elftype", ".headerflags", ".section", ".sectioninfo", ".sectionflags", ".sectionentsize",
    ".align",  ".global",  ".weak",        ".local",   ".type",        ".size",         ".other"};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes a prefix off; returns whether the text had it.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes what stands before `end`, and `end` itself.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return part;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_predicate(std::string_view text) {
  if (!take(text, "@")) return false;
  take(text, "!");
  take(text, "U");
  return take(text, "P") && (text == "T" || number<unsigned>(text, 10));
}

bool is_opcode(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
  };
  return !text.empty() && std::isupper(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), fits);
}

/// Whether the blank at this place is within a constant: "c[0x0] [0x164].H0_H0", which has one where half of a word is
/// meant.
bool is_within_constant(std::string_view text, std::size_t blank, const std::string& operand) {
  return operand.ends_with(']') && operand.find("c[") != std::string::npos && blank + 1 < text.size() &&
         text[blank + 1] == '[';
}

/// Splits at commas and blanks outside brackets: "R6 `(kernel)" is two operands.
std::optional<std::vector<std::string>> operands_of(std::string_view text) {
  std::vector<std::string> operands;
  std::string operand;
  int depth = 0;
  bool needs_one = false;  // after a comma
  const auto end_operand = [&] {
    if (!operand.empty()) needs_one = false;
    if (!operand.empty()) operands.push_back(std::exchange(operand, {}));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (depth < 0) return std::nullopt;
    const bool separates = depth == 0 && (c == ',' || blanks.find(c) != std::string_view::npos);
    if (!separates) {
      operand += c;
      continue;
    }
    if (c == ' ' && is_within_constant(text, at, operand)) continue;
    end_operand();
    if (c != ',') continue;
    if (needs_one || operands.empty()) return std::nullopt;
    needs_one = true;
  }
  end_operand();
  if (depth != 0 || needs_one) return std::nullopt;
  return operands;
}

/// `"flash.cu", line 12`: takes it off the text.
std::optional<Place> take_place(std::string_view& text) {
  if (!take(text, "\"")) return std::nullopt;
  const auto file = take_until(text, "\", line ");
  if (!file) return std::nullopt;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto line = number<std::uint32_t>(text.substr(0, digits), 10);
  if (!line) return std::nullopt;
  text.remove_prefix(digits);
  return Place{std::string(*file), *line};
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Disassembly parse() {
    while (!text_.empty()) {
      ++line_number_;
      const std::size_t end = text_.find('\n');
      line_ = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      read_line();
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw DisassemblyError(
        fmt::format("line {} of nvdisasm's output: expected {}: {}", line_number_, expected, trimmed(line_)));
  }

  void read_line() {
    const std::string_view body = trimmed(line_);
    if (body.empty()) return;
    if (body.starts_with(place_mark)) return read_place(body);
    if (body.starts_with("//")) return;
    if (body.starts_with("/*")) return read_instruction(body);
    if (body.back() == ':' && line_.front() == body.front()) return read_label(body);
    if (body.front() == '.') return read_directive(body);
    fail("an instruction, a label or a directive");
  }

  void read_directive(std::string_view body) {
    const std::size_t end = std::min(body.find_first_of(blanks), body.size());
    const std::string_view name = body.substr(0, end);
    std::string_view rest = trimmed(body.substr(end));
    if (std::find(directives.begin(), directives.end(), name) == directives.end()) fail("a known directive");
    if (name == ".target") result_.architecture = rest;
    if (name == ".section") begin_section(rest.substr(0, rest.find(',')));
    if (name == ".other" && !result_.functions.empty() &&
        rest.find("STO_CUDA_ENTRY") != std::string_view::npos)
      result_.functions.back().is_kernel = true;
  }

  void begin_section(std::string_view section) {
    if (!take(section, ".text.")) fail("a section of code, .text.NAME");
    result_.functions.push_back({std::string(section), false, {}, {}});
    chain_.clear();
    continues_at_.reset();
    chain_index_ = no_index;
    ptx_line_ = 0;
  }

  Function& function() {
    if (result_.functions.empty()) fail("a section before the first instruction");
    return result_.functions.back();
  }

  void read_label(std::string_view body) {
    body.remove_suffix(1);
    Function& here = function();
    if (body == here.name || body == ".text." + here.name) return;
    here.labels.push_back({std::string(body), here.instructions.size()});
  }

  /// Several in a row are one chain, each inlined at the next one; another one after a complete chain replaces it.
  void read_place(std::string_view body) {
    take(body, place_mark);
    std::optional<Place> place = take_place(body);
    if (!place) fail("a file and a line");
    std::optional<Place> call;
    if (take(body, " inlined at ")) {
      call = take_place(body);
      if (!call) fail("the place of a call");
    }
    if (!body.empty()) fail("the end of a place");
    if (place->file == ptx_file) {
      ptx_line_ = place->line;
      return;
    }
    if (!continues_at_ || *continues_at_ != *place) chain_.clear();
    chain_.push_back(std::move(*place));
    continues_at_ = std::move(call);
    chain_index_ = no_index;
  }

  std::uint32_t chain_index() {
    if (continues_at_) chain_.push_back(std::move(*continues_at_));
    continues_at_.reset();
    if (chain_.empty() || chain_index_ != no_index) return chain_index_;
    std::string key;
    for (const Place& place : chain_) key += fmt::format("{}\n{}\n", place.file, place.line);
    const auto [known, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(result_.chains.size()));
    if (is_new) result_.chains.push_back(chain_);
    return chain_index_ = known->second;
  }

  /// `/*0180*/ @!P1 IMAD.IADD R0, R0, 0x1, -R5 ;`, a remark `(*"..."*)` before the semicolon.
  void read_instruction(std::string_view body) {
    Instruction instruction;
    take(body, "/*");
    const auto address = take_until(body, "*/");
    const auto value = address ? number<std::uint64_t>(*address, 16) : std::nullopt;
    if (!value) fail("an address");
    instruction.address = *value;
    if (body.empty() || body.back() != ';') fail("a semicolon at the end of an instruction");
    body.remove_suffix(1);
    read_remark(body, instruction);
    body = trimmed(body);
    const auto word = [&] {
      const std::size_t end = std::min(body.find_first_of(blanks), body.size());
      const std::string_view part = body.substr(0, end);
      body = trimmed(body.substr(end));
      return part;
    };
    std::string_view opcode = word();
    if (is_predicate(opcode)) {
      instruction.predicate = opcode;
      opcode = word();
    }
    if (!is_opcode(opcode)) fail("an opcode");
    instruction.opcode = opcode;
    auto operands = operands_of(body);
    if (!operands) fail("operands separated by commas");
    instruction.operands = std::move(*operands);
    add(std::move(instruction));
  }

  void read_remark(std::string_view& body, Instruction& instruction) const {
    const std::size_t at = body.find("(*");
    if (at == std::string_view::npos) return;
    std::string_view remark = trimmed(body.substr(at + 2));
    if (!remark.ends_with("*)")) fail("the end of a remark");
    remark.remove_suffix(2);
    remark = trimmed(remark);
    if (remark.size() > 1 && remark.front() == '"' && remark.back() == '"')
      remark = remark.substr(1, remark.size() - 2);
    instruction.remark = remark;
    body = body.substr(0, at);
  }

  void add(Instruction instruction) {
    Function& here = function();
    if (!here.instructions.empty() && here.instructions.back().address >= instruction.address)
      fail("an address at or before that of the previous instruction");
    instruction.chain = chain_index();
    instruction.ptx_line = ptx_line_;
    here.instructions.push_back(std::move(instruction));
  }

  std::string_view text_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  Disassembly result_;
  /// Places of the instructions that follow, innermost first.
  std::vector<Place> chain_;
  /// The last place of chain_ is inlined here, which the next line says more about.
  std::optional<Place> continues_at_;
  std::uint32_t chain_index_ = no_index;
  std::uint32_t ptx_line_ = 0;
  std::map<std::string, std::uint32_t> known_;
};

}  // namespace

std::string text_of(const Instruction& instruction) {
  std::string text = instruction.predicate;
  if (!text.empty()) text += ' ';
  text += instruction.opcode;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + instruction.operands[i];
  return text;
}

const Function* Disassembly::find(std::string_view function) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const Function& one) { return one.name == function; });
  return found == functions.end() ? nullptr : &*found;
}

Disassembly parse_disassembly(std::string_view text) {
  return Parser(text).parse();
}

Instruction parse_instruction(std::string_view text) {
  const std::string listing = fmt::format(".section .text.one\n/*0000*/ {} ;\n", text);
  return parse_disassembly(listing).functions.at(0).instructions.at(0);
}

}  // namespace tilescope::sass
