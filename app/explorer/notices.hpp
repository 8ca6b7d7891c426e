#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// What the parts of an explorer say to the person and to the window, not tied to a panel.
class Notices {
 public:
  /// A sentence about what is wrong: newest last, dismissed by the person.
  void say(std::string sentence) {
    messages_.push_back(std::move(sentence));
    draw_again();
  }
  std::vector<std::string>& messages() { return messages_; }
  const std::vector<std::string>& messages() const { return messages_; }

  /// Something changed: a frame must be drawn.
  void draw_again() { changed_ = true; }
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  std::vector<std::string> messages_;
  bool changed_ = false;
};

}  // namespace tilescope
