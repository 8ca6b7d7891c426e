#include "base/json.hpp"

#include <algorithm>
#include <vector>

#include "base/regular_file.hpp"

namespace tilescope {
namespace {

/// nlohmann's message without its identifier and place, and without the bulk of a long token.
std::string reason_of(const Json::exception& error) {
  std::string text = error.what();
  if (const std::size_t identifier = text.find("] "); identifier != std::string::npos)
    text.erase(0, identifier + 2);
  if (text.starts_with("parse error at line ")) {
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) text.erase(0, colon + 2);
  }
  constexpr std::size_t longest = 300;
  if (text.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // Inside a character.
    text = text.substr(0, end) + "...";
  }
  return text;
}

/// Follows the parser to its error, to know the place of every kind: nlohmann gives none for a number that overflows.
class ErrorFinder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return end_value(); }
  bool boolean(bool) override { return end_value(); }
  bool number_integer(number_integer_t) override { return end_value(); }
  bool number_unsigned(number_unsigned_t) override { return end_value(); }
  bool number_float(number_float_t, const string_t&) override { return end_value(); }
  bool string(string_t&) override { return end_value(); }
  bool binary(binary_t&) override { return end_value(); }
  bool start_object(std::size_t) override { return start(false); }
  bool key(string_t& name) override {
    open_.back().key = name;
    return true;
  }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start(true); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    byte = position > 0 ? position - 1 : 0;
    reason = reason_of(error);
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) reason = pointer() + reason;
    return false;
  }

  std::size_t byte = 0;
  std::string reason;

 private:
  struct Container {
    bool is_list;
    std::string key;
    std::size_t index;
  };

  bool start(bool is_list) {
    open_.push_back({is_list, "", 0});
    return true;
  }
  bool end() {
    open_.pop_back();
    return end_value();
  }
  bool end_value() {
    if (!open_.empty()) ++open_.back().index;
    return true;
  }
  /// "/grid/0: ", "" for the document.
  std::string pointer() const {
    std::string text;
    for (const Container& one : open_) text += "/" + (one.is_list ? std::to_string(one.index) : one.key);
    return text.empty() ? text : text + ": ";
  }

  std::vector<Container> open_;
};

/// Where the string that begins at `begin` ends: at a quote behind an even number of backslashes. Found by its quotes,
/// since a worker's answer may hold a compiler's log of many megabytes.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t quote = text.find('"', begin); quote != std::string_view::npos;
       quote = text.find('"', quote + 1)) {
    std::size_t first = quote;
    while (first > begin && text[first - 1] == '\\') --first;
    if ((quote - first) % 2 == 0) return quote;
  }
  return text.size();
}

}  // namespace

JsonError::JsonError(std::string_view text, std::size_t byte, const std::string& reason)
    : JsonError(place_of(text, byte), reason) {}

JsonError::JsonError(Place place, const std::string& reason)
    : std::invalid_argument("invalid JSON at line " + std::to_string(place.line) + ", column " +
                            std::to_string(place.column) + ": " + reason),
      line_(place.line),
      column_(place.column),
      reason_(reason) {}

JsonError::Place JsonError::place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t last_break = before.rfind('\n');
  const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, before.size() - line_start + 1};
}

void refuse_deep_nesting(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '"') {
      at = end_of_string(text, at + 1);
    } else if (letter == '[' || letter == '{') {
      if (++depth > json_nesting_limit)
        throw JsonError(text, at, "nested deeper than " + std::to_string(json_nesting_limit) + " levels");
    } else if ((letter == ']' || letter == '}') && depth > 0) {
      --depth;
    }
  }
}

Json parse_json(std::string_view text) {
  refuse_deep_nesting(text);
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    ErrorFinder finder;
    Json::sax_parse(text, &finder);
    throw JsonError(text, finder.byte, finder.reason.empty() ? reason_of(error) : finder.reason);
  }
}

Json read_json_file(const std::filesystem::path& file, std::uint64_t max_bytes) {
  return parse_json(read_regular_file(file, max_bytes));
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_indented_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilescope
