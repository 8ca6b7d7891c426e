#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/catalogue/json_lines.hpp"

namespace tilescope {

/// Everything that is wrong with one declaration, for one message.
class DeclarationProblems {
 public:
  /// `located` has the lines of the file; a document that is not from a file has none.
  explicit DeclarationProblems(const LocatedJson& located) : located_(located) {}

  /// `place` is a JSON pointer: "/parameters/0/default".
  void add(const std::string& place, const std::string& what);
  void add_missing(const std::string& place, const std::string& expected);

  bool empty() const { return problems_.empty(); }
  /// Whether there is a problem at this member or inside it.
  bool has_any_at(const std::string& place) const;

  /// "FILE:7: /role: ..." or, for several, "FILE: 2 problems in the declaration:" and one line for each, in the order
  /// of the file.
  std::string message(const std::filesystem::path& file) const;

 private:
  const LocatedJson& located_;
  std::vector<std::pair<std::string, std::string>> problems_;  // place and text
};

}  // namespace tilescope
