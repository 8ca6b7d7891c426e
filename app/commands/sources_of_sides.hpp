#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/resolved_side.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// The sources of the sides of comparisons, in the order in which these were added. Each source is read once.
class SourcesOfSides {
 public:
  /// `sides` and `store` have to outlive this.
  SourcesOfSides(SideResolver& sides, const SourceStore& store) : sides_(sides), store_(store) {}

  /// The points of `comparison` are those that the sides became.
  void add(const ResolvedSide& a, const ResolvedSide& b, const Comparison& comparison);
  /// Pointers into this.
  const std::vector<SideSources>& all() const { return all_; }

 private:
  const SourceFile* source_of(const ResolvedSide& side, const Measurement& point);

  SideResolver& sides_;
  const SourceStore& store_;
  std::deque<SourceFile> opened_;
  /// By their hash; nothing where no copy is left.
  std::map<std::string, std::optional<SourceFile>> recorded_;
  std::vector<SideSources> all_;
};

}  // namespace tilescope
