#include "profiler/measure/open/known_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "profiler/measure/files/symbol_names.hpp"

namespace tilescope {
namespace {

struct TypeName {
  std::string_view type, element;
};

// A vector type has the element of its parts.
constexpr std::array type_names = {
    TypeName{"float", "f32"},
    TypeName{"double", "f64"},
    TypeName{"half", "f16"},
    TypeName{"half2", "f16"},
    TypeName{"__half", "f16"},
    TypeName{"__half2", "f16"},
    TypeName{"Half", "f16"},
    TypeName{"half_t", "f16"},
    TypeName{"__nv_bfloat16", "bf16"},
    TypeName{"__nv_bfloat162", "bf16"},
    TypeName{"nv_bfloat16", "bf16"},
    TypeName{"nv_bfloat162", "bf16"},
    TypeName{"BFloat16", "bf16"},
    TypeName{"bfloat16_t", "bf16"},
    TypeName{"__nv_fp8_e4m3", "u8"},
    TypeName{"__nv_fp8_e5m2", "u8"},
    TypeName{"bool", "u8"},
    TypeName{"char", "s8"},
    TypeName{"signed char", "s8"},
    TypeName{"int8_t", "s8"},
    TypeName{"unsigned char", "u8"},
    TypeName{"uint8_t", "u8"},
    TypeName{"uchar", "u8"},
    TypeName{"short", "s16"},
    TypeName{"int16_t", "s16"},
    TypeName{"unsigned short", "u16"},
    TypeName{"uint16_t", "u16"},
    TypeName{"ushort", "u16"},
    TypeName{"int", "s32"},
    TypeName{"int32_t", "s32"},
    TypeName{"unsigned", "u32"},
    TypeName{"unsigned int", "u32"},
    TypeName{"uint", "u32"},
    TypeName{"uint32_t", "u32"},
    TypeName{"long", "s64"},
    TypeName{"long int", "s64"},
    TypeName{"long long", "s64"},
    TypeName{"long long int", "s64"},
    TypeName{"int64_t", "s64"},
    TypeName{"ptrdiff_t", "s64"},
    TypeName{"unsigned long", "u64"},
    TypeName{"unsigned long long", "u64"},
    TypeName{"unsigned long int", "u64"},
    TypeName{"unsigned long long int", "u64"},
    TypeName{"uint64_t", "u64"},
    TypeName{"size_t", "u64"},
};

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// The words of a type without qualifiers, keywords and namespaces: "unsigned int" of "const std::unsigned int &".
std::string plain_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> left_out = {"const",    "volatile",     "struct", "class",
                                                        "restrict", "__restrict__", "std",    "__restrict"};
  std::string plain;
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = at;
    while (end < type.size() && is_word(type[end])) ++end;
    const std::string_view word = type.substr(at, end - at);
    const bool names_space = type.substr(end).starts_with("::");
    if (!word.empty() && !names_space && std::ranges::find(left_out, word) == left_out.end())
      plain += (plain.empty() ? "" : " ") + std::string(word);
    at = std::max(end, at + 1);
  }
  return plain;
}

bool is_pointer_type(std::string_view type) {
  return type.find('*') != std::string_view::npos || type.ends_with(']');
}

// Vectors of CUDA: float2 to float4, int1 ...; "" for another name.
std::string_view without_lanes(std::string_view type) {
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return {};
  return type.substr(0, type.size() - 1);
}

std::string_view before_pointer(std::string_view type) {
  return type.substr(0, std::min(type.find('*'), type.find('[')));
}

void take_type(const std::string& type, KnownParameter& parameter) {
  parameter.type = type;
  parameter.is_pointer = is_pointer_type(type) && parameter.bytes == 8;
  const bool points_to_pointers = std::ranges::count(type, '*') > 1;
  if (!points_to_pointers)
    parameter.element = element_of_type(parameter.is_pointer ? before_pointer(type) : std::string_view(type));
  if (parameter.is_pointer) return;
  if (parameter.element && parameter.element->bytes != parameter.bytes) parameter.element.reset();
  parameter.is_structure = !parameter.element;
}

// Without types: 8 bytes are an address, as most are, and 4 a whole number.
void take_size(KnownParameter& parameter) {
  parameter.is_pointer = parameter.bytes == 8;
  if (parameter.bytes == 4) parameter.element = element_named("s32");
  if (parameter.bytes == 2) parameter.element = element_named("s16");
  if (parameter.bytes == 1) parameter.element = element_named("u8");
  parameter.is_structure = !parameter.is_pointer && !parameter.element;
}

// Whether these are the members of the structure that the compiler made a parameter of.
bool fits(const std::vector<SourceMember>& members, std::uint64_t bytes) {
  constexpr std::uint64_t most_alignment = 16;
  if (members.empty()) return false;
  const std::uint64_t end = members.back().offset + members.back().bytes;
  return end <= bytes && bytes - end < most_alignment;
}

void add_members_of(const KnownParameter& structure, const std::vector<SourceMember>& members,
                    std::vector<KnownParameter>& known) {
  for (const SourceMember& member : members) {
    KnownParameter one;
    one.parameter = structure.parameter;
    one.offset = member.offset;
    one.is_member = true;
    one.name = structure.name + "." + member.name;
    one.bytes = member.bytes;
    take_type(member.type, one);
    known.push_back(std::move(one));
  }
}

// The one element that a structure consists of; whole numbers where it has some beside numbers of the same size, since
// those are lengths and indices more often than not.
std::optional<Element> element_of_members(const std::vector<SourceMember>& members) {
  std::optional<Element> element;
  for (const SourceMember& member : members) {
    const std::optional<Element> one =
        is_pointer_type(member.type) ? std::nullopt : element_of_type(member.type);
    if (!one || (element && element->bytes != one->bytes)) return std::nullopt;
    if (!element || element->kind == Element::Kind::floating) element = one;
  }
  return element;
}

}  // namespace

std::optional<Element> element_of_type(std::string_view type) {
  const std::string plain = plain_type(type);
  for (const std::string_view name : {std::string_view(plain), without_lanes(plain)}) {
    const auto* const found = std::ranges::find(type_names, name, &TypeName::type);
    if (!name.empty() && found != type_names.end()) return element_named(found->element);
  }
  return std::nullopt;
}

std::vector<std::string> types_of_demangled(std::string_view demangled) {
  // The parameters stand in the last parentheses that close at the end.
  if (!demangled.ends_with(')')) return {};
  int depth = 0;
  std::size_t open = demangled.size();
  while (open > 0) {
    const char letter = demangled[--open];
    depth += letter == ')' ? 1 : letter == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  std::vector<std::string> types;
  std::string type;
  int nested = 0;
  for (const char letter : demangled.substr(open + 1, demangled.size() - open - 2)) {
    nested += letter == '<' || letter == '(' || letter == '[' ? 1 : 0;
    nested -= letter == '>' || letter == ')' || letter == ']' ? 1 : 0;
    if (letter == ',' && nested == 0) {
      types.push_back(std::exchange(type, {}));
    } else if (letter != ' ' || !type.empty()) {
      type += letter;
    }
  }
  if (!type.empty()) types.push_back(std::move(type));
  return types;
}

std::vector<KnownParameter> known_parameters(const std::string& entry,
                                             const std::vector<simt::KernelParameter>& parameters,
                                             const std::vector<WrittenParameter>& written) {
  std::vector<std::string> types = types_of_demangled(demangled_symbol(entry));
  const bool has_names = written.size() == parameters.size();
  if (types.size() != parameters.size()) {
    types.clear();
    if (has_names)
      for (const WrittenParameter& parameter : written) types.push_back(parameter.type);
  }
  std::vector<KnownParameter> known;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    KnownParameter parameter;
    parameter.parameter = i;
    parameter.bytes = parameters[i].bytes;
    parameter.name = has_names ? written[i].name : "";
    if (parameter.name.empty()) parameter.name = fmt::format("argument {}", i);
    if (types.empty()) {
      take_size(parameter);
    } else {
      take_type(types[i], parameter);
    }
    if (parameter.is_pointer && !parameter.element && has_names)
      parameter.element = element_of_members(written[i].pointed_members);
    const bool has_members = parameter.is_structure && has_names && fits(written[i].members, parameter.bytes);
    if (has_members) {
      add_members_of(parameter, written[i].members, known);
    } else {
      known.push_back(std::move(parameter));
    }
  }
  return known;
}

}  // namespace tilescope
