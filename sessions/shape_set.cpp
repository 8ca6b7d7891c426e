#include "sessions/shape_set.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/json_reader.hpp"
#include "base/regular_file.hpp"
#include "base/typed_number.hpp"

namespace tilescope {
namespace {

constexpr const char* blanks = " \t\r\n";

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find_first_of(separators, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::int64_t size_from(const char* name, const std::string& part) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::optional<std::uint64_t> size = whole_number_from(part);
  if (!size || *size > most)
    throw std::invalid_argument(std::string(name) + " is '" + part + "', not " +
                                whole_number_words({1, most}));
  return static_cast<std::int64_t>(*size);
}

/// "8" for both, "32/8" for one each.
std::pair<std::int64_t, std::int64_t> pair_from(const char* first, const char* second,
                                                const std::string& part) {
  const std::vector<std::string> sizes = split(part, "/x");
  if (sizes.size() > 2)
    throw std::invalid_argument("'" + part + "' is more than " + first + " and " + second);
  const std::int64_t size = size_from(first, sizes.front());
  return {size, sizes.size() == 2 ? size_from(second, sizes.back()) : size};
}

/// A word behind the sizes. Each may be given once.
void read_shape_word(const std::string& word, Shape& shape, bool& has_type) {
  if (word == "causal" && !shape.causal) {
    shape.causal = true;
  } else if ((word == "fp16" || word == "bf16") && !has_type) {
    shape.dtype = data_type_from(word);
    has_type = true;
  } else {
    throw std::invalid_argument("'" + word + "' is not expected after the sizes: give 'causal', 'fp16' or " +
                                "'bf16', each once");
  }
}

/// Adds the shapes of a set one by one.
class SetReader {
 public:
  /// `origin` starts every message: "shapes.json".
  SetReader(std::string origin, std::string name) : origin_(std::move(origin)) {
    set_.name = std::move(name);
  }

  void add(const std::string& text) {
    try {
      add_shape(shape_from_text(text));
    } catch (const std::invalid_argument& error) {
      refuse(" ('" + text + "'): " + error.what() + ". " + shape_sizes_help() +
             ", then 'causal' or 'bf16' where they apply");
    }
  }

  void add(const Json& entry) {
    if (entry.is_string()) return add(entry.get<std::string>());
    Shape shape;
    try {
      from_json(entry, shape);
    } catch (const DocumentError& error) {
      refuse(std::string(": ") + error.what() +
             ". Give an object with B, Hq, Hkv, Sq, Sk, D, dtype and causal, or a text such as " +
             "\"1,8,512,64 causal\"");
    }
    if (const std::string why = why_malformed(shape); !why.empty()) refuse(": " + why);
    add_shape(shape);
  }

  ShapeSet take() {
    if (set_.shapes.empty())
      throw ShapeSetError(origin_ + ": there is no shape. Give at least one, such as \"1,8,512,64\"");
    return std::move(set_);
  }

 private:
  void add_shape(const Shape& shape) {
    const auto same = std::ranges::find(set_.shapes, shape);
    if (same != set_.shapes.end()) {
      const auto first = same - set_.shapes.begin() + 1;
      refuse(" (" + to_string(shape) + "): it is the same as shape " + std::to_string(first) +
             ". Remove one of them");
    }
    set_.shapes.push_back(shape);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw ShapeSetError(origin_ + ", shape " + std::to_string(set_.shapes.size() + 1) + why);
  }

  std::string origin_;
  ShapeSet set_;
};

Json read_document(const std::filesystem::path& file) {
  try {
    return read_json_file(file);
  } catch (const UnreadableFile& error) {
    throw ShapeSetError(file.string() + ": the file cannot be read: " + error.reason() +
                        ". Give a JSON file with a list of shapes");
  } catch (const JsonError& error) {
    throw ShapeSetError(file.string() + ": not a set of shapes: " + error.what());
  }
}

/// The list of a file, which may stand in an object beside its name.
const Json& list_of(const Json& document, std::string& name, const std::string& file) {
  const Json* list = &document;
  if (document.is_object() && document.contains("shapes")) {
    list = &document["shapes"];
    if (document.contains("name")) {
      if (!document["name"].is_string())
        throw ShapeSetError(file + ": /name is not a text. Give one, or none");
      name = document["name"].get<std::string>();
    }
  }
  if (!list->is_array())
    throw ShapeSetError(file + R"(: not a set of shapes. Give {"name": "mine", "shapes": ["1,8,512,64"]})");
  return *list;
}

std::vector<std::string> shipped_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The words of to_string(): "B1", "H8", "S512", "D64", "fp16"; "" or "causal".
std::array<std::string, 6> words_of(const Shape& shape) {
  std::istringstream stream(to_string(shape));
  std::array<std::string, 6> words;
  for (std::string& word : words) stream >> word;
  return words;
}

void append_word(std::string& text, const std::string& word) {
  if (!word.empty()) text += (text.empty() ? "" : " ") + word;
}

}  // namespace

void read_shape_sizes(const std::string& text, Shape& shape) {
  const std::vector<std::string> parts = split(text, ",");
  if (parts.size() != 4)
    throw std::invalid_argument("it has " + std::to_string(parts.size()) + " sizes instead of 4");
  shape.B = size_from("B", parts[0]);
  std::tie(shape.Hq, shape.Hkv) = pair_from("Hq", "Hkv", parts[1]);
  std::tie(shape.Sq, shape.Sk) = pair_from("Sq", "Sk", parts[2]);
  shape.D = size_from("D", parts[3]);
  if (const std::string why = why_malformed(shape); !why.empty()) throw std::invalid_argument(why);
}

std::string shape_sizes_help() {
  return "Give B,H,S,D such as 1,8,512,64; grouped heads as Hq/Hkv and unequal lengths as Sq/Sk: "
         "1,32/8,512/4096,128";
}

Shape shape_from_text(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  Shape shape;
  read_shape_sizes(word, shape);
  bool has_type = false;
  while (words >> word) read_shape_word(word, shape, has_type);
  return shape;
}

std::string shape_to_text(const Shape& shape) {
  const auto pair = [](std::int64_t first, std::int64_t second) {
    return std::to_string(first) + (second == first ? "" : "/" + std::to_string(second));
  };
  return std::to_string(shape.B) + "," + pair(shape.Hq, shape.Hkv) + "," + pair(shape.Sq, shape.Sk) + "," +
         std::to_string(shape.D) + (shape.causal ? " causal" : "") +
         (shape.dtype == Shape{}.dtype ? "" : " " + to_string(shape.dtype));
}

ShapeSet typed_shape_set(const std::string& text) {
  SetReader reader("the typed shapes", "");
  const std::vector<std::string> parts = split(text, ";");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = trimmed(parts[i]);
    const bool is_end = i + 1 == parts.size() && part.empty();
    if (!is_end) reader.add(part);
  }
  return reader.take();
}

ShapeSet load_shape_set(const std::filesystem::path& file) {
  const Json document = read_document(file);
  const std::string place = file.string();
  std::string name = file.stem().string();
  const Json& list = list_of(document, name, place);
  SetReader reader(place, name);
  for (const Json& entry : list) reader.add(entry);
  return reader.take();
}

ShapeSet find_shape_set(const std::string& text, const std::filesystem::path& shipped) {
  const std::vector<std::string> names = shipped_names(shipped);
  if (std::ranges::find(names, text) != names.end()) return load_shape_set(shipped / (text + ".json"));
  std::error_code ignored;
  if (text.ends_with(".json") || std::filesystem::is_regular_file(text, ignored)) return load_shape_set(text);
  if (text.find(',') != std::string::npos) return typed_shape_set(text);
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw ShapeSetError("'" + text + "' is not a JSON file, and not a set that ships (" + known +
                      "). Give one of these, or shapes such as \"1,8,512,64; 4,16,512,64 causal\"");
}

ShapeHeadings shape_headings(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return {"", {to_string(shapes.front())}};
  std::vector<std::array<std::string, 6>> words;
  words.reserve(shapes.size());
  for (const Shape& shape : shapes) words.push_back(words_of(shape));
  ShapeHeadings headings;
  headings.each.resize(shapes.size());
  for (std::size_t at = 0; at < 6; ++at) {
    const bool is_common =
        std::ranges::all_of(words, [&](const auto& own) { return own[at] == words.front()[at]; });
    if (is_common && !words.empty()) append_word(headings.common, words.front()[at]);
    for (std::size_t i = 0; i < shapes.size() && !is_common; ++i) append_word(headings.each[i], words[i][at]);
  }
  std::ranges::replace(headings.each, std::string(), std::string("not causal"));
  return headings;
}

}  // namespace tilescope
