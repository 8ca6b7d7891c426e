#include "profiler/execution/ptx/text/line_table.hpp"

#include <limits>
#include <utility>

#include "profiler/execution/ptx/text/constant_expression.hpp"
#include "profiler/execution/ptx/text/function_name.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::uint64_t largest_number = std::numeric_limits<std::uint32_t>::max();

std::uint32_t read_part(Lexer& lexer, std::string_view what) {
  return static_cast<std::uint32_t>(read_count(lexer, largest_number, what));
}

// Skips to the brace that closes the section; the opening one has been taken.
void skip_section(Lexer& lexer) {
  for (std::uint32_t open = 1; open > 0;) {
    if (lexer.peek().kind == Token::Kind::end) lexer.fail_expecting("'}' at the end of the section");
    const Token token = lexer.take();
    if (token.is('{')) ++open;
    if (token.is('}')) --open;
  }
}

}  // namespace

void LineTable::read_file(Lexer& lexer) {
  const std::uint32_t number = read_part(lexer, "the number of a .file");
  const Token path = lexer.expect(Token::Kind::string, "the path of a .file in quotes");
  while (lexer.take(',')) read_constant(lexer);
  files_.push_back({number, std::string(path.text.substr(1, path.text.size() - 2))});
}

LineTable::Place LineTable::read_place(Lexer& lexer) {
  const std::uint32_t file = read_part(lexer, "the file of a .loc");
  const std::uint32_t line = read_part(lexer, "the line of a .loc");
  const std::uint32_t column = read_part(lexer, "the column of a .loc");
  return {file, line, column};
}

LineTable::FunctionName LineTable::read_function_name(Lexer& lexer) {
  const Token label = lexer.expect(Token::Kind::identifier, "the label of a function's name");
  return {label.text, static_cast<std::uint64_t>(read_offset(lexer))};
}

std::uint32_t LineTable::read_location(Lexer& lexer) {
  const Place place = read_place(lexer);
  std::uint32_t inlined_at = no_index;
  FunctionName name;
  while (lexer.take(',')) {
    const Token attribute = lexer.expect(Token::Kind::identifier, "'function_name' or 'inlined_at'");
    if (attribute.text == "function_name") {
      name = read_function_name(lexer);
    } else if (attribute.text == "inlined_at") {
      const Place call = read_place(lexer);
      const auto seen = latest_.find(call);
      inlined_at = seen != latest_.end() ? seen->second : add(call, no_index, {});
    } else {
      fail(attribute.position, "expected 'function_name' or 'inlined_at', found " + quoted(attribute.text));
    }
  }
  return add(place, inlined_at, name);
}

std::uint32_t LineTable::add(const Place& place, std::uint32_t inlined_at, const FunctionName& name) {
  if (inlined_at != no_index && depths_[inlined_at] + 1 == longest_chain) {
    while (locations_[inlined_at].inlined_at != no_index) inlined_at = locations_[inlined_at].inlined_at;
  }
  const auto next = static_cast<std::uint32_t>(locations_.size());
  const auto [entry, is_new] = known_.try_emplace({place, inlined_at, name}, next);
  latest_[place] = entry->second;
  if (!is_new) return entry->second;
  const auto& [file, line, column] = place;
  locations_.push_back({file, line, column, inlined_at, ""});
  names_.push_back(name);
  depths_.push_back(inlined_at == no_index ? 0 : depths_[inlined_at] + 1);
  return next;
}

void LineTable::read_section(Lexer& lexer) {
  const Token name = lexer.peek();
  if (name.kind != Token::Kind::dotted && name.kind != Token::Kind::identifier) {
    lexer.fail_expecting("the name of a section");
  }
  lexer.take();
  lexer.expect('{', "at the start of a section");
  if (name.text == ".debug_str") {
    read_strings(lexer);
  } else {
    skip_section(lexer);
  }
}

// Labels and bytes: `$L__info_string0: .b8 95,90,0`
void LineTable::read_strings(Lexer& lexer) {
  while (!lexer.take('}')) {
    if (lexer.peek().kind == Token::Kind::identifier) {
      const Token label = lexer.take();
      lexer.expect(':', "after the label of a string");
      labels_.try_emplace(label.text, strings_.size());
      continue;
    }
    const Token type = lexer.expect(Token::Kind::dotted, "'.b8', a label or '}' in the section .debug_str");
    if (type.text != ".b8")
      fail(type.position, "expected '.b8' in the section .debug_str, found " + quoted(type.text));
    do {
      strings_ += static_cast<char>(read_constant(lexer).bits);
    } while (lexer.take(','));
  }
}

std::string LineTable::name_of(const FunctionName& name) const {
  const auto label = labels_.find(name.label);
  if (label == labels_.end()) return "";
  if (name.offset >= strings_.size() - label->second) return "";
  const std::size_t begin = label->second + static_cast<std::size_t>(name.offset);
  // Names may overlap, so the length that is read of each is bounded.
  constexpr std::size_t longest_name = 16384;
  const std::string_view name_and_more = std::string_view(strings_).substr(begin, longest_name);
  return short_function_name(name_and_more.substr(0, name_and_more.find('\0')));
}

void LineTable::finish(Module& module) {
  std::map<FunctionName, std::string> shown;
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    if (names_[i].label.empty()) continue;
    const auto [entry, is_new] = shown.try_emplace(names_[i]);
    if (is_new) entry->second = name_of(names_[i]);
    locations_[i].function = entry->second;
  }
  module.files = std::move(files_);
  module.locations = std::move(locations_);
}

}  // namespace tilescope::ptx
