#pragma once

#include <memory>
#include <vector>

#include "sessions/session.hpp"

namespace tilescope {

/// Points that were read from a file again, with those that are known already in the place of their copies: what was
/// serialised, drawn or remembered of them stays theirs.
PointList with_known_points(PointList read, const PointList& known);

/// Applies to `points` what changed from `before` to `after`: those that were removed go, those that were added stand at
/// the end. Where `points` is `before`, it becomes `after`.
void apply_changes(const PointList& before, const PointList& after, PointList& points);

/// Brings `theirs`, the session as another program has written it, into `ours`, which was `before` when it was last
/// the same as its file: theirs, then what is new in ours. Returns the points of the file.
PointList merge_session(Session theirs, const PointList& before, Session& ours);

}  // namespace tilescope
