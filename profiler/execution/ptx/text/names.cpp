#include "profiler/execution/ptx/text/names.hpp"

#include <charconv>
#include <string>

#include "profiler/execution/ptx/text/lexer.hpp"

namespace tilescope::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void Names::open_scope(Position where) {
  if (depth() == deepest_scope) {
    fail(where, "scopes are nested deeper than " + std::to_string(deepest_scope) + "; is a '}' missing?");
  }
  scopes_.emplace_back();
}

void Names::close_scope() {
  for (const Declared& declared : scopes_.back().declared) {
    std::uint32_t& newest = newest_[declared.name][declared.group];
    newest = entries_[newest].shadowed;
  }
  scopes_.pop_back();
  deepest_range_ = depth();
  while (deepest_range_ > 0 && !scopes_[deepest_range_].has_ranges) --deepest_range_;
}

std::uint32_t Names::number_of(std::string_view name) {
  const auto [entry, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(newest_.size()));
  if (is_new) newest_.push_back({no_index, no_index, no_index});
  return entry->second;
}

void Names::add(std::uint32_t name, Group group, Meaning meaning, std::uint32_t depth) {
  meaning.depth = depth;
  std::uint32_t& newest = newest_[name][group];
  entries_.push_back({meaning, newest});
  newest = static_cast<std::uint32_t>(entries_.size() - 1);
  scopes_[depth].declared.push_back({name, group});
}

void Names::declare(std::string_view name, Group group, const Meaning& meaning) {
  const std::uint32_t number = number_of(name);
  const std::uint32_t newest = newest_[number][group];
  if (newest != no_index && entries_[newest].meaning.depth == depth()) {
    fail_second(name, meaning.position, entries_[newest].meaning);
  }
  add(number, group, meaning, depth());
}

void Names::fail_second(std::string_view name, Position second, const Meaning& first) const {
  fail(second, quoted(name) + " is declared a second time in this scope; the first is on line " +
                   std::to_string(first.position.line));
}

void Names::declare_in_module(std::string_view name, const Meaning& meaning) {
  const std::uint32_t number = number_of(name);
  const std::uint32_t newest = newest_[number][objects];
  if (newest != no_index) fail_second(name, meaning.position, entries_[newest].meaning);
  add(number, objects, meaning, 0);
}

void Names::declare(std::string_view name, const Meaning& meaning) {
  declare(name, objects, meaning);
}

void Names::declare_label(std::string_view name, const Meaning& meaning) {
  declare(name, labels, meaning);
}

void Names::declare_range(std::string_view prefix, Type type, std::uint32_t count, std::uint32_t components,
                          Position position) {
  declare(prefix, ranges, {Meaning::Kind::range, type, count, position, 0, components});
  scopes_.back().has_ranges = true;
  deepest_range_ = depth();
}

// %r15 may be register 15 of %r<100>, or register 5 of %r1<10>; the innermost range that has it counts.
const Meaning* Names::find_range(std::string_view name, std::size_t& prefix_length,
                                 std::uint32_t& number) const {
  const Meaning* deepest = nullptr;
  constexpr std::size_t most_digits = 10;
  for (std::size_t digits = 1; digits <= most_digits && digits < name.size(); ++digits) {
    const std::size_t length = name.size() - digits;
    if (!is_digit(name[length])) break;
    if (digits > 1 && name[length] == '0') continue;
    const auto known = numbers_.find(name.substr(0, length));
    if (known == numbers_.end()) continue;
    std::uint32_t value = 0;
    const auto read = std::from_chars(name.data() + length, name.data() + name.size(), value);
    if (read.ec != std::errc{}) break;
    std::uint32_t entry = newest_[known->second][ranges];
    while (entry != no_index && value >= entries_[entry].meaning.index) entry = entries_[entry].shadowed;
    if (entry == no_index || (deepest != nullptr && entries_[entry].meaning.depth <= deepest->depth))
      continue;
    deepest = &entries_[entry].meaning;
    prefix_length = length;
    number = value;
  }
  return deepest;
}

const Meaning* Names::find(std::string_view name, std::vector<RegisterDeclaration>& registers) {
  const auto known = numbers_.find(name);
  const std::uint32_t newest = known == numbers_.end() ? no_index : newest_[known->second][objects];
  const Meaning* exact = newest == no_index ? nullptr : &entries_[newest].meaning;
  if (exact != nullptr && exact->depth >= deepest_range_) return exact;
  std::size_t prefix_length = 0;
  std::uint32_t number = 0;
  const Meaning* range = find_range(name, prefix_length, number);
  if (range == nullptr || (exact != nullptr && exact->depth >= range->depth)) return exact;
  Meaning meaning = *range;
  meaning.kind = meaning.count == 1 ? Meaning::Kind::reg : Meaning::Kind::vector;
  meaning.index = static_cast<std::uint32_t>(registers.size());
  registers.insert(registers.end(), meaning.count, {name.substr(0, prefix_length), number, meaning.type});
  add(number_of(name), objects, meaning, meaning.depth);
  return &entries_.back().meaning;
}

const Meaning* Names::find_label(std::string_view name) const {
  const auto known = numbers_.find(name);
  if (known == numbers_.end() || newest_[known->second][labels] == no_index) return nullptr;
  return &entries_[newest_[known->second][labels]].meaning;
}

}  // namespace tilescope::ptx
