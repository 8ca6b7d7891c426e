#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiler/catalogue/json_lines.hpp"

namespace tilescope {

/// All that is wrong with one declaration, for one message.
class DeclarationProblems {
 public:
  /// The lines of `located` are those of the file; a document that is no file has none.
  explicit DeclarationProblems(const LocatedJson& located) : located_(located) {}

  /// `place` is a JSON pointer: "/parameters/0/default".
  void add(const std::string& place, const std::string& what);
  void add_missing(const std::string& place, const std::string& expected);

  bool empty() const { return problems_.empty(); }
  /// Whether something is wrong at this member or inside it.
  bool has_any_at(const std::string& place) const;

  /// "FILE:7: /role: ..." or, of several, "FILE: 2 problems in the declaration:" and each on its line, in the order of
  /// the file.
  std::string message(const std::filesystem::path& file) const;

 private:
  const LocatedJson& located_;
  std::vector<std::pair<std::string, std::string>> problems_;  // place and text
};

}  // namespace tilescope
