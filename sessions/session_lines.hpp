#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json_fwd.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// Reads a session that is laid out as SessionWriter writes it, with a point on each line: in a third of the time,
/// on several cores, and without one document of the whole. Nothing for a text of another layout or version
/// and for one with an error: reading it as a whole says where.
std::optional<Session> read_session_lines(const std::string& text);

/// A point of a session.
struct ReadPoint {
  SharedMeasurement point;
  UnknownMembers unknown;
};
/// Throws std::exception.
ReadPoint read_point(const Json& json);
/// Adds it to a session.
void add_point(ReadPoint point, Session& session);

/// Reads a session's document, points included. Throws DocumentError.
void from_json(const Json& json, Session& session);

}  // namespace tilescope
