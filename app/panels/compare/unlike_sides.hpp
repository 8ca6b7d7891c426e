#pragma once

#include <array>
#include <optional>
#include <string>

#include "app/explorer/compare/comparison_pair.hpp"

namespace tilescope {

/// Sides of different shapes or devices: no verdict on them is shown unless the user asks for it.
class UnlikeSides {
 public:
  /// Once per frame in which a comparison is shown.
  void update(const ComparisonPair& pair, const Comparison& comparison);
  bool are_refused() const { return !reason_.empty() && agreed_ != now_; }
  /// Until a side gets another kernel, point or origin, or the shapes or devices change.
  void compare_all_the_same() { agreed_ = now_; }
  /// Why the two are not comparable, in a sentence; "" where they are.
  const std::string& reason() const { return reason_; }
  /// Mark of a verdict on them: "different shapes".
  const std::string& mark() const { return mark_; }

 private:
  struct SideKey {
    SideChoice::Kind kind = SideChoice::Kind::none;
    std::string kernel;
    SharedMeasurement point;
    bool operator==(const SideKey&) const = default;
  };
  struct Key {
    std::array<SideKey, 2> sides;
    std::string reason;
    bool operator==(const Key&) const = default;
  };

  std::string reason_, mark_;
  Key now_;
  /// For what the user asked.
  std::optional<Key> agreed_;
};

}  // namespace tilescope
