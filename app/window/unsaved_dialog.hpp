#pragma once

#include <optional>
#include <string>

namespace tilescope {

/// Asks, before the window closes, what becomes of points that are not saved.
class UnsavedDialog {
 public:
  enum class Answer { save, do_not_save, cancel };

  /// Draws it; to be called in each frame while the question stands. Returns the answer in the frame in which it was
  /// given. `name` is the session's file, `kept` the name under which its points are kept.
  std::optional<Answer> draw(const std::string& name, const std::string& kept);
};

}  // namespace tilescope
