#include "profiler/execution/sass/operand.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tilescope::sass {
namespace {

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_end(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::optional<std::int64_t> integer(std::string_view text) {
  const bool is_negative = take(text, "-");
  const int base = take(text, "0x") ? 16 : 10;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

// "R7" with `prefix` "R": 7; "RZ": `zero`.
std::optional<int> numbered(std::string_view text, std::string_view prefix, std::string_view zero_name,
                            int zero) {
  if (text == zero_name) return zero;
  if (!take(text, prefix) || text.empty() || text.size() > 3) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 10);
  if (error != std::errc() || end != text.data() + text.size() || value >= zero) return std::nullopt;
  return value;
}

std::optional<int> register_named(std::string_view text) {
  return numbered(text, "R", "RZ", zero_register);
}
std::optional<int> uniform_named(std::string_view text) {
  return numbered(text, "UR", "URZ", zero_uniform);
}

// One term of an address: "R2.64", "R5.X4", "UR4", "UR4.64", "0x10", "-0x10".
bool add_term(std::string_view term, AddressText& address) {
  if (const auto offset = integer(term)) {
    address.offset += *offset;
    return true;
  }
  const std::size_t dot = std::min(term.find('.'), term.size());
  const std::string_view name = term.substr(0, dot);
  std::string_view selector = term.substr(dot);
  if (const auto uniform = uniform_named(name)) {
    if (address.uniform != no_register || !(selector.empty() || selector == ".64")) return false;
    address.uniform = *uniform;
    address.uniform_is_pair = !selector.empty();
    return true;
  }
  const auto reg = register_named(name);
  if (!reg || address.reg != no_register) return false;
  address.reg = *reg;
  if (take(selector, ".64")) address.reg_is_pair = true;
  if (take(selector, ".U32")) address.reg_is_unsigned = true;
  for (const int scale : {16, 8, 4}) {
    if (take(selector, ".X" + std::to_string(scale))) address.scale = scale;
  }
  return selector.empty();
}

// The terms between brackets, joined by "+".
std::optional<AddressText> address_of(std::string_view text) {
  AddressText address;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('+'), text.size());
    if (!add_term(text.substr(0, end), address)) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return address;
}

// "c[0x0][0x160]" without its "c"; a half of it is "c[0x0][0x164].H0_H0".
std::optional<Operand> constant(std::string_view text) {
  Operand operand;
  operand.kind = Operand::Kind::constant;
  const std::size_t end = text.rfind(']');
  if (end != std::string_view::npos && text.substr(end + 1).starts_with('.')) {
    operand.selector = text.substr(end + 2);
    text = text.substr(0, end + 1);
  }
  const std::size_t middle = text.find("][");
  if (!take(text, "[") || middle == std::string_view::npos || !take_end(text, "]")) return std::nullopt;
  const auto bank = integer(text.substr(0, middle - 1));
  const auto address = address_of(text.substr(middle + 1));
  if (!bank || *bank < 0 || *bank > 31 || !address) return std::nullopt;
  operand.bank = static_cast<std::uint32_t>(*bank);
  operand.address = *address;
  return operand;
}

std::optional<Operand> memory(std::string_view text) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  if (!take(text, "[") || !take_end(text, "]")) return std::nullopt;
  const auto address = address_of(text);
  if (!address) return std::nullopt;
  operand.address = *address;
  return operand;
}

std::optional<Operand> symbol(std::string_view text, bool is_high) {
  Operand operand;
  operand.kind = Operand::Kind::symbol;
  operand.is_high = is_high;
  if (!take_end(text, ")") || text.empty()) return std::nullopt;
  operand.name = text;
  return operand;
}

std::optional<Operand> named(Operand::Kind kind, std::string_view name) {
  Operand operand;
  operand.kind = kind;
  operand.name = name;
  return operand;
}

std::optional<Operand> indexed(Operand::Kind kind, int index) {
  Operand operand;
  operand.kind = kind;
  operand.index = index;
  return operand;
}

bool is_real(std::string_view text) {
  if (text == "+INF" || text == "-INF" || text == "INF") return true;
  if (text.ends_with("QNAN") || text.ends_with("SNAN")) return true;
  take(text, "-");
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == 'e' || c == '+' ||
                  c == '-';
         });
}

// A register of any kind, without signs; its selector is cut off.
std::optional<Operand> plain_register(std::string_view text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view name = text.substr(0, dot);
  std::optional<Operand> operand;
  using Kind = Operand::Kind;
  if (const auto reg = register_named(name)) operand = indexed(Kind::reg, *reg);
  if (const auto uniform = uniform_named(name)) operand = indexed(Kind::uniform, *uniform);
  if (const auto p = numbered(name, "P", "PT", true_predicate)) operand = indexed(Kind::predicate, *p);
  if (const auto up = numbered(name, "UP", "UPT", true_predicate))
    operand = indexed(Kind::uniform_predicate, *up);
  if (const auto b = numbered(name, "B", "", 16)) operand = indexed(Kind::barrier, *b);
  if (const auto sb = numbered(name, "SB", "", 8)) operand = indexed(Kind::scoreboard, *sb);
  if (name == "PR") operand = indexed(Kind::predicates, 0);
  if (!operand) return std::nullopt;
  std::string_view selector = text.substr(dot);
  // "R4.reuse", "R4.reuse.H0_H0"
  take(selector, ".reuse");
  take(selector, ".");
  operand->selector = selector;
  return operand;
}

// "{5,4,3}" without its "{".
std::optional<Operand> scoreboards(std::string_view text) {
  Operand operand;
  operand.kind = Operand::Kind::scoreboards;
  if (!take_end(text, "}")) return std::nullopt;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto number = integer(text.substr(0, end));
    if (!number || *number < 0 || *number > 7) return std::nullopt;
    operand.value |= std::int64_t{1} << *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return operand.value == 0 ? std::nullopt : std::optional(operand);
}

std::optional<Operand> unsigned_operand(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, "{")) return scoreboards(rest);
  if (text.starts_with("SR_") || text == "SRZ") return named(Operand::Kind::special, text);
  if (take(rest, "`(") && take_end(rest, ")")) return named(Operand::Kind::label, rest);
  if (take(rest = text, "32@lo(")) return symbol(rest, false);
  if (take(rest = text, "32@hi(")) return symbol(rest, true);
  if (take(rest = text, "c[")) return constant(text.substr(1));
  if (take(rest = text, "desc[")) {
    const std::size_t end = rest.find("][");
    return end == std::string_view::npos ? std::nullopt : memory(rest.substr(end + 1));
  }
  if (text.starts_with("[")) return memory(text);
  return plain_register(text);
}

}  // namespace

std::optional<Operand> parse_operand(std::string_view text) {
  if (const auto value = integer(text)) {
    Operand operand;
    operand.kind = Operand::Kind::integer;
    operand.value = *value;
    return operand;
  }
  if (is_real(text)) return named(Operand::Kind::real, text);
  const bool is_negated = take(text, "-");
  const bool is_inverted = take(text, "~");
  const bool is_not = take(text, "!");
  // "|R4|", and with a selector "|R4|.H0_H0".
  const bool is_absolute = take(text, "|");
  std::string bare(text);
  if (is_absolute) {
    const std::size_t bar = bare.find('|');
    if (bar == std::string::npos) return std::nullopt;
    bare.erase(bar, 1);
  }
  std::optional<Operand> operand = unsigned_operand(bare);
  if (!operand) return std::nullopt;
  operand->is_negated = is_negated;
  operand->is_inverted = is_inverted;
  operand->is_not = is_not;
  operand->is_absolute = is_absolute;
  return operand;
}

}  // namespace tilescope::sass
