#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilescope {

/// A message to the user that is not tied to a panel.
struct Notice {
  using Clock = std::chrono::steady_clock;

  std::string text;
  /// An error stays until it is dismissed; news disappears by itself.
  bool is_error = false;
  Clock::time_point until = Clock::time_point::max();
  /// The label of a button, "" for none.
  std::string button = {};
  std::function<void()> press = {};
};

/// Messages from the parts of an explorer to the user and to the window.
class Notices {
 public:
  /// Display time of news: long enough to read two sentences.
  static constexpr std::chrono::seconds news_time{8};

  /// A sentence about what is wrong.
  void say(std::string sentence);
  /// News, neutral.
  void inform(std::string sentence);
  /// News with a button that does something about it; pressing it dismisses the notice. `time` until it disappears.
  void offer(std::string sentence, std::string button, std::function<void()> press,
             std::chrono::seconds time = news_time);

  /// Oldest first.
  const std::vector<Notice>& list() const { return list_; }
  /// Texts of the errors.
  std::vector<std::string> errors() const;
  void dismiss(std::size_t index);
  void dismiss_all();
  /// Presses the button of a notice, which is dismissed.
  void press(std::size_t index);
  /// Whether one of them will disappear by itself: a window must draw again then.
  bool has_news() const;
  /// Once per frame: drops what has been there for long enough.
  void update(Notice::Clock::time_point now = Notice::Clock::now());

  /// Something changed: a frame must be drawn.
  void draw_again() { changed_ = true; }
  bool take_changed();

 private:
  void add(Notice notice);

  std::vector<Notice> list_;
  bool changed_ = false;
};

}  // namespace tilescope
