#pragma once

#include <imgui.h>

namespace tilescope {

/// A frame with a tinted background around what is drawn until the end of the scope, as high as that is.
class TintedBox {
 public:
  TintedBox(const char* id, const ImVec4& color);
  ~TintedBox();
  TintedBox(const TintedBox&) = delete;
  TintedBox& operator=(const TintedBox&) = delete;
};

}  // namespace tilescope
