#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/theme.hpp"

namespace tilescope::test_support {

/// ImGui and ImPlot without a window and without a GPU: makes draw lists that are not rasterised. ImGui's errors in a
/// frame (an unbalanced push, a duplicate id) are kept in errors(). Landmarks of widgets are enabled.
class HeadlessGui {
 public:
  HeadlessGui(float width, float height, float scale = 1, ThemeKind theme = ThemeKind::dark);
  ~HeadlessGui();
  HeadlessGui(const HeadlessGui&) = delete;
  HeadlessGui& operator=(const HeadlessGui&) = delete;

  /// Sets what every frame draws, between NewFrame and Render.
  void show(std::function<void()> content) { content_ = std::move(content); }
  void frames(int count = 3);

  // User input, a few frames each.
  void move_to(const std::string& mark);
  void press();
  void release();
  void click(const std::string& mark);
  void right_click(const std::string& mark);
  /// Turns the wheel over a mark: positive is up, and to the left.
  void wheel(const std::string& mark, float x, float y);
  /// Two clicks within the time of a double-click.
  void double_click(const std::string& mark);
  void key(ImGuiKey key);
  void type(const std::string& text);

  bool has(const std::string& mark) const;
  /// {x0, y0, x1, y1}; throws std::out_of_range with the name when the last frame did not draw it.
  std::vector<float> rectangle(const std::string& mark) const;
  const std::vector<std::string>& errors() const { return errors_; }
  int vertices() const { return vertices_; }

 private:
  std::function<void()> content_;
  std::vector<std::string> errors_;
  int vertices_ = 0;
};

}  // namespace tilescope::test_support
