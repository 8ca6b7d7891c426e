#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/ptx/text/lexer.hpp"

namespace tilescope::ptx {

/// The .file and .loc directives of a module, and the strings that they name.
class LineTable {
 public:
  /// Chains of inlined calls are cut at this length: the last call is then the outermost place.
  static constexpr std::uint32_t longest_chain = 64;

  /// Reads what follows ".file": number "path" and, optionally, time and size.
  void read_file(Lexer& lexer);
  /// Reads what follows ".loc" and returns the location's index in Module::locations. The call of an inlined
  /// function is given only by its file, line and column; the latest .loc with the same values gives its own
  /// call.
  std::uint32_t read_location(Lexer& lexer);
  /// Reads what follows ".section": keeps the strings of .debug_str and skips everything else.
  void read_section(Lexer& lexer);

  /// Names the inlined functions and stores everything in the module.
  void finish(Module& module);

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // file, line, column
  struct FunctionName {
    std::string_view label;
    std::uint64_t offset = 0;  // [B] behind the label
    auto operator<=>(const FunctionName&) const = default;
  };

  Place read_place(Lexer& lexer);
  FunctionName read_function_name(Lexer& lexer);
  std::uint32_t add(const Place& place, std::uint32_t inlined_at, const FunctionName& name);
  void read_strings(Lexer& lexer);
  std::string name_of(const FunctionName& name) const;

  std::vector<SourceFileName> files_;
  std::vector<Location> locations_;
  std::vector<FunctionName> names_;    // of locations_
  std::vector<std::uint32_t> depths_;  // of locations_: calls to the outermost
  std::map<Place, std::uint32_t> latest_;
  std::map<std::tuple<Place, std::uint32_t, FunctionName>, std::uint32_t> known_;
  std::string strings_;
  std::unordered_map<std::string_view, std::size_t> labels_;  // into strings_
};

}  // namespace tilescope::ptx
