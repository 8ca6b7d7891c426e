#include "app/commands/sources_of_sides.hpp"

namespace tilescope {

void SourcesOfSides::add(const ResolvedSide& a, const ResolvedSide& b, const Comparison& comparison) {
  all_.push_back({source_of(a, comparison.a), source_of(b, comparison.b)});
}

const SourceFile* SourcesOfSides::source_of(const ResolvedSide& side, const Measurement& point) {
  if (side.opened) return &opened_.emplace_back(side.opened->source);
  const std::string& sha256 = point.provenance.source_sha256;
  auto found = recorded_.find(sha256);
  if (found == recorded_.end() || !found->second)
    found = recorded_.insert_or_assign(sha256, sides_.source_of(side, point, store_)).first;
  return found->second ? &*found->second : nullptr;
}

}  // namespace tilescope
