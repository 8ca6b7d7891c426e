#include "sessions/session.hpp"

#include <string_view>
#include <system_error>
#include <utility>

#include "base/json_reader.hpp"
#include "base/regular_file.hpp"
#include "sessions/migration.hpp"
#include "sessions/session_lines.hpp"

namespace tilescope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why,
                         const std::string& remedy) {
  throw SessionError(file.string() + ": " + why + ". " + remedy);
}

std::string read_whole(const std::filesystem::path& file) {
  try {
    return read_regular_file(file, session_file_limit);
  } catch (const UnreadableFile& error) {
    refuse(file, error.reason(), "Name a session file that this user may read.");
  }
}

Json parse(const std::filesystem::path& file, const std::string& text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    refuse(file, std::string("not a Tilescope session (") + error.what() + ")", "The file was not changed.");
  }
}

int version_of(const std::filesystem::path& file, const Json& document) {
  std::string format;
  std::int64_t version = 0;
  const ObjectReader object(document);
  object.required("format", format);
  if (format != session_format_name) {
    throw DocumentError("/format",
                        "expected '" + std::string(session_format_name) + "', found '" + format + "'");
  }
  object.required("version", version);
  if (version < 1) throw DocumentError("/version", "there is no format " + std::to_string(version));
  if (version > session_format_version) {
    refuse(file,
           "/version: written by a newer Tilescope, in session format " + std::to_string(version) +
               "; this program reads formats up to " + std::to_string(session_format_version),
           "The file was not changed; update Tilescope to open it.");
  }
  return static_cast<int>(version);
}

/// All but the points.
void read_head(const Json& json, Session& session) {
  const ObjectReader object(json);
  object.required("title", session.title);
  object.required("created_utc", session.created_utc);
  object.required("tilescope_version", session.tilescope_version);
  at_place("sources", [&] {
    const Json& sources = object.find_required("sources");
    if (!sources.is_object()) throw DocumentError("", "expected an object of sources by their SHA-256");
    for (const auto& [hash, source] : sources.items()) {
      at_place(hash, [&, &key = hash, &value = source] { from_json(value, session.sources[key]); });
    }
  });
  for (const char* known : {"format", "version"}) object.find(known);  // Read before.
  const Json& points = object.find_required("points");
  if (!points.is_array()) throw DocumentError("/points", "expected a list of points");
}

}  // namespace

ReadPoint read_point(const Json& json) {
  UnreadMembers unread;
  auto point = std::make_shared<Measurement>();
  from_json(json, *point);
  return {std::move(point), unread.of(json)};
}

void add_point(ReadPoint point, Session& session) {
  session.points.push_back(point.point);
  if (!point.unknown.empty())
    session.unknown_of_points.emplace(std::move(point.point), std::move(point.unknown));
}

void from_json(const Json& json, Session& session) {
  UnreadMembers unread;
  read_head(json, session);
  session.unknown = unread.of(json);
  at_place("points", [&] {
    const Json& points = json.at("points");
    session.points.reserve(points.size());
    for (const Json& element : points)
      at_place(std::to_string(session.points.size()), [&] { add_point(read_point(element), session); });
  });
}

Session load_session(const std::filesystem::path& file) {
  return parse_session(read_whole(file), file);
}

Session parse_session(const std::string& text, const std::filesystem::path& file) {
  if (std::optional<Session> session = read_session_lines(text)) return *std::move(session);
  Json document = parse(file, text);
  try {
    const int version = version_of(file, document);
    document = migrated(std::move(document), version, session_migrations());
    Session session;
    from_json(document, session);
    return session;
  } catch (const SessionError&) {
    throw;
  } catch (const std::exception& error) {
    refuse(file, std::string("not a valid session: ") + error.what(), "The file was not changed.");
  }
}

}  // namespace tilescope
