#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

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

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr std::int64_t max_size = std::int64_t{1} << 40;

}  // namespace

/// Size and alignment of a type, also of a struct of the file whose members all have known ones.
std::optional<Evaluator::Layout> Evaluator::layout_of_type(const std::string& type, const Place& place) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  const std::string resolved = resolved_type(type, place);
  if (const auto bytes = size_of_type(resolved)) return Layout{*bytes, alignment_of_type(resolved)};
  for (std::string name : {plain_type(type), resolved}) {
    if (name.starts_with("struct ")) name.erase(0, 7);
    if (const SyntaxNode node = index_.structure(name)) return layout_of(node, place);
  }
  return std::nullopt;
}

std::optional<Evaluator::Layout> Evaluator::layout_of(const SyntaxNode& structure, const Place& place) {
  const bool is_simple = !structure.child_of_type("base_class_clause") &&
                         !structure.parent().is("template_declaration") && !may_have_attribute(structure) &&
                         structure.source().find("virtual") == std::string_view::npos;
  if (!is_simple) return std::nullopt;
  Layout whole;
  for (const SyntaxNode& member : structure.child("body").operands()) {
    if (takes_no_place(member) || (member.is("field_declaration") && is_static(member))) continue;
    if (!member.is("field_declaration") || member.child_of_type("bitfield_clause")) return std::nullopt;
    for (const SyntaxNode& declarator : member.children()) {
      if (declarator.field() != "declarator" || declarator.is("function_declarator")) continue;
      const auto one = layout_of_member(member, declarator, place);
      if (!one || one->size > max_size || whole.size > max_size) return std::nullopt;
      whole.size = rounded_up(whole.size, one->alignment) + one->size;
      whole.alignment = std::max(whole.alignment, one->alignment);
    }
    if (!member.child("declarator")) return std::nullopt;
  }
  if (whole.size == 0) return std::nullopt;
  whole.size = rounded_up(whole.size, whole.alignment);
  return whole;
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
