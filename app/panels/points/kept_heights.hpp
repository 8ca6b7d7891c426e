#pragma once

#include <map>
#include <string>

namespace tilescope {

/// The largest height of each named part of a panel since the panel became wider or narrower. A part is never drawn
/// lower than that: what stands below it keeps its place while a text is not known yet, or is shorter than the last
/// one. In pixels.
class KeptHeights {
 public:
  /// Before the parts of a frame: forgets all where the panel's width or the size of its text is another one.
  void begin();
  /// Other things are shown from now on: what was kept is of no use.
  void forget() { heights_.clear(); }
  /// 0 for a part that was not drawn yet.
  float of(const std::string& part) const;
  void note(const std::string& part, float height);

  /// Draws a part, and leaves free what it is lower than it was.
  template <class Part>
  void draw(const std::string& part, Part content) {
    const float top = begin_part();
    content();
    end_part(part, top);
  }

 private:
  static float begin_part();
  void end_part(const std::string& part, float top);

  std::map<std::string, float> heights_;
  float width_ = 0;
  float text_ = 0;
};

}  // namespace tilescope
