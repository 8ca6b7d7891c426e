#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {
namespace {

/// Parts of a class that take no place in its objects.
bool takes_no_place(const SyntaxNode& part) {
  static const std::set<std::string_view> types = {
      "access_specifier",          "alias_declaration",    "using_declaration",
      "type_definition",           "friend_declaration",   "function_definition",
      "static_assert_declaration", "template_declaration", "declaration"};
  return types.contains(part.type());
}

bool is_static(const SyntaxNode& member) {
  return member.child_of_type("storage_class_specifier").source() == "static";
}

/// An attribute between "struct" and its name is blank, see mask_attributes: it may change the alignment.
bool may_have_attribute(const SyntaxNode& node) {
  const SyntaxNode name = node.child("name");
  const std::uint32_t behind = name ? name.begin() : node.child("body").begin();
  const std::string_view before = node.source().substr(0, behind - node.begin());
  return before.find("  ") != std::string_view::npos || before.find('(') != std::string_view::npos;
}

// Behind any other base class a member may lie in the padding at its end (Itanium C++ ABI, 2.4).
bool is_plain(const SyntaxNode& structure) {
  if (!structure || structure.child_of_type("base_class_clause")) return false;
  const std::string name(structure.child("name").source());
  for (const SyntaxNode& part : structure.child("body").operands()) {
    if (part.is("access_specifier") || part.child("default_value")) return false;
    const bool is_function = part.is("function_definition") || part.is("declaration");
    if (is_function && part.source().find(name + "(") != std::string_view::npos) return false;
  }
  return true;
}

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr std::int64_t max_size = std::int64_t{1} << 40;

}  // namespace

/// Size and alignment of a type, also of a struct of the file whose members all have known ones.
std::optional<Evaluator::Layout> Evaluator::layout_of_type(const std::string& type, const Place& place,
                                                           const MemberList& into) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  const std::string resolved = resolved_type(type, place);
  if (const auto bytes = size_of_type(resolved)) return Layout{*bytes, alignment_of_type(resolved)};
  for (std::string name : {plain_type(type), resolved}) {
    if (name.starts_with("struct ")) name.erase(0, 7);
    if (const SyntaxNode node = index_.structure(name)) return layout_of(node, place, into);
  }
  return std::nullopt;
}

/// Objects of base classes lie before the members. False where one is not known.
bool Evaluator::add_bases(const SyntaxNode& structure, const Place& place, const MemberList& into,
                          Layout& whole) {
  for (const SyntaxNode& base : structure.child_of_type("base_class_clause").operands()) {
    if (base.is("access_specifier")) continue;
    if (!is_plain(index_.structure(base.text()))) return false;
    const auto one = layout_of_type(base.text(), place);
    if (!one) return false;
    whole.size = rounded_up(whole.size, one->alignment);
    if (into.list != nullptr)
      layout_of_type(base.text(), place, {into.list, into.prefix, into.base + whole.size});
    whole.size += one->size;
    whole.alignment = std::max(whole.alignment, one->alignment);
  }
  return true;
}

std::optional<Evaluator::Layout> Evaluator::layout_of(const SyntaxNode& structure, const Place& place,
                                                      const MemberList& into) {
  const bool is_simple = !structure.parent().is("template_declaration") && !may_have_attribute(structure) &&
                         structure.source().find("virtual") == std::string_view::npos;
  if (!is_simple) return std::nullopt;
  Layout whole;
  if (!add_bases(structure, place, into, whole)) return std::nullopt;
  for (const SyntaxNode& member : structure.child("body").operands()) {
    if (takes_no_place(member) || (member.is("field_declaration") && is_static(member))) continue;
    if (!member.is("field_declaration") || member.child_of_type("bitfield_clause")) return std::nullopt;
    for (const SyntaxNode& declarator : member.children()) {
      if (declarator.field() != "declarator" || declarator.is("function_declarator")) continue;
      const auto one = layout_of_member(member, declarator, place);
      if (!one || one->size > max_size || whole.size > max_size) return std::nullopt;
      const std::int64_t offset = rounded_up(whole.size, one->alignment);
      if (into.list != nullptr)
        note_member(member, declarator, place, one->size, {into.list, into.prefix, into.base + offset});
      whole.size = offset + one->size;
      whole.alignment = std::max(whole.alignment, one->alignment);
    }
    if (!member.child("declarator")) return std::nullopt;
  }
  if (whole.size == 0) return std::nullopt;
  whole.size = rounded_up(whole.size, whole.alignment);
  return whole;
}

/// `bytes`: of all of it. `into.base`: where it lies.
void Evaluator::note_member(const SyntaxNode& member, SyntaxNode declarator, const Place& place,
                            std::int64_t bytes, const MemberList& into) {
  constexpr std::int64_t most_elements = 64;
  std::int64_t count = 1;
  while (declarator.is("array_declarator")) {
    const Number size = root_value(declarator.child("size"), place);
    count *= size ? static_cast<std::int64_t>(size->value()) : 1;
    declarator = declarator.child("declarator");
  }
  std::string type = member.child("type").text();
  for (; declarator.is("pointer_declarator"); declarator = declarator.child("declarator")) type += " *";
  const std::string name = into.prefix + declarator.text();
  const auto as_bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const bool is_structure = !type.ends_with('*') && !size_of_type(resolved_type(type, place));
  if (is_structure && count == 1) {
    layout_of_type(type, place, {into.list, name + ".", into.base});
  } else if (is_structure || count > most_elements) {
    into.list->push_back({name, "", as_bytes(into.base), as_bytes(bytes)});
  } else if (count == 1) {
    into.list->push_back({name, type, as_bytes(into.base), as_bytes(bytes)});
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      into.list->push_back({name + "[" + std::to_string(i) + "]", type,
                            as_bytes(into.base + i * (bytes / count)), as_bytes(bytes / count)});
  }
}

std::vector<SourceMember> Evaluator::members_of(const std::string& type) {
  steps_ = 0;
  std::vector<SourceMember> members;
  const Notes before = notes();
  if (!layout_of_type(type, place_of({}), {&members, "", 0})) members.clear();
  restore(before);
  return members;
}

std::optional<Evaluator::Layout> Evaluator::layout_of_member(const SyntaxNode& member, SyntaxNode declarator,
                                                             const Place& place) {
  std::int64_t count = 1;
  for (int steps = 0; steps < 10 && declarator.is("array_declarator"); ++steps) {
    const Number size = root_value(declarator.child("size"), place);
    if (!size || !(size->value() >= 1) || size->value() > 1e9 || count > max_size) return std::nullopt;
    count *= static_cast<std::int64_t>(size->value());
    declarator = declarator.child("declarator");
  }
  const bool is_pointer = declarator.is("pointer_declarator");
  if (!is_pointer && !declarator.is("field_identifier")) return std::nullopt;
  auto layout = is_pointer ? Layout{8, 8} : layout_of_type(member.child("type").text(), place);
  if (layout && (count > max_size || layout->size > max_size / count)) return std::nullopt;
  if (layout) layout->size *= count;
  return layout;
}

/// Size of a type as the value of sizeof.
Evaluator::Number Evaluator::bytes_of_type(const std::string& type, const Place& place) {
  const Notes before = notes();
  const auto layout = layout_of_type(type, place);
  restore(before);
  return layout ? Number(CppNumber::of_size(layout->size)) : std::nullopt;
}

}  // namespace tilescope
