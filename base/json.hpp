#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json_fwd.hpp"

namespace tilescope {

/// The most levels of lists and objects in one another that a document may have. Documents of Tilescope have ten;
/// copying and writing a value takes stack for each level.
inline constexpr std::size_t json_nesting_limit = 200;

/// The largest file of JSON that is read unless its reader says otherwise. [B]
inline constexpr std::uint64_t json_file_limit = std::uint64_t{64} << 20U;

/// A text that is not JSON, is nested too deep or has a number that no double holds:
/// "invalid JSON at line 3, column 17: ...".
class JsonError : public std::invalid_argument {
 public:
  /// `byte` counts from 0.
  JsonError(std::string_view text, std::size_t byte, const std::string& reason);

  /// Counted from 1.
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }
  const std::string& reason() const { return reason_; }

 private:
  struct Place {
    std::size_t line = 1, column = 1;
  };
  static Place place_of(std::string_view text, std::size_t byte);
  JsonError(Place place, const std::string& reason);

  std::size_t line_;
  std::size_t column_;
  std::string reason_;
};

/// The document of a text. Every text from outside the program is parsed here. Throws JsonError.
Json parse_json(std::string_view text);

/// The document of a regular file. Throws UnreadableFile and JsonError.
Json read_json_file(const std::filesystem::path& file, std::uint64_t max_bytes = json_file_limit);

/// Throws JsonError where the text is nested deeper than json_nesting_limit: for readers that parse by themselves.
void refuse_deep_nesting(std::string_view text);

}  // namespace tilescope
