#pragma once

#include <string>

#include "profiler/installation.hpp"
#include "sessions/shape_set.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// --shapes: a set of shapes, for every command that goes through one.
class ShapesOption {
 public:
  /// Excludes --shape, --causal and --dtype where the command has them already: each shape of a set says these itself.
  void declare(CLI::App& app);

  bool is_given() const { return !text_.empty(); }
  /// Throws WrongUsage for text that is not a set of shapes, UnreadableInput for such a file. Asked only where
  /// is_given().
  ShapeSet shapes(const Installation& installation) const;

 private:
  bool names_a_file() const;

  std::string text_;
};

}  // namespace tilescope
