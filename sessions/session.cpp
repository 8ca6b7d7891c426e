#include "sessions/session.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "sessions/json_reader.hpp"
#include "sessions/migration.hpp"
#include "sessions/session_lines.hpp"

namespace tilescope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why,
                         const std::string& remedy) {
  throw SessionError(file.string() + ": " + why + ". " + remedy);
}

std::string read_whole(const std::filesystem::path& file) {
  const std::string remedy = "Name a session file that this user may read.";
  if (std::filesystem::is_directory(file)) refuse(file, "this is a folder, not a session file", remedy);
  errno = 0;
  std::ifstream input(file, std::ios::binary);
  if (!input) refuse(file, std::string("cannot be opened: ") + std::strerror(errno), remedy);
  std::string text;
  constexpr std::size_t piece = 1U << 20U;  // Some files, as pipes, do not know their size.
  do {
    const std::size_t size = text.size();
    text.resize(size + piece);
    input.read(text.data() + size, piece);
    text.resize(size + static_cast<std::size_t>(input.gcount()));
  } while (input);
  if (input.bad()) refuse(file, std::string("cannot be read: ") + std::strerror(errno), remedy);
  return text;
}

/// "line 3, column 17" of a byte, both counted from 1.
std::string place_of_byte(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? std::min(byte - 1, text.size()) : 0);
  std::size_t line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before[at] != '\n') continue;
    ++line;
    line_start = at + 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_start + 1);
}

/// nlohmann's message without its identifier and place, which we give ourselves.
std::string reason_of(const Json::exception& error) {
  const std::string text = error.what();
  const std::size_t identifier = text.find("] ");
  const std::size_t column = text.find("column ");
  const std::size_t colon = column == std::string::npos ? column : text.find(": ", column);
  if (colon != std::string::npos) return text.substr(colon + 2);
  return identifier == std::string::npos ? text : text.substr(identifier + 2);
}

Json parse(const std::filesystem::path& file, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse(file,
           "not a Tilescope session (invalid JSON at " + place_of_byte(text, error.byte) + ": " +
               reason_of(error) + ")",
           "The file was not changed.");
  } catch (const Json::out_of_range& error) {  // A number that no double holds: 1e999.
    refuse(file, "not a Tilescope session (invalid JSON: " + reason_of(error) + ")",
           "The file was not changed.");
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

std::string head_of(const Session& session) {
  Json sources = Json::object();
  for (const auto& [hash, source] : session.sources) {
    sources[hash] = source;
  }
  const Json head{{"format", session_format_name},
                  {"version", session_format_version},
                  {"title", session.title},
                  {"created_utc", session.created_utc},
                  {"tilescope_version", session.tilescope_version},
                  {"sources", std::move(sources)}};
  std::string text = to_indented_text(head);
  text.erase(text.rfind('\n'));  // The closing brace: the points come before it.
  return text + ",\n  \"points\": [";
}

}  // namespace

void from_json(const Json& json, Session& session) {
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
  const Json& points = object.find_required("points");
  if (!points.is_array()) throw DocumentError("/points", "expected a list of points");
  session.points.reserve(points.size());
  for (const Json& element : points) {
    Measurement point;
    at_place("points/" + std::to_string(session.points.size()),
             [&] { tilescope::from_json(element, point); });
    session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
  }
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

SessionWriter::SessionWriter(std::filesystem::path file)
    : file_(std::move(file)), stamp_(file_stamp(file_)) {}

SessionWriter::SessionWriter(std::filesystem::path file, std::optional<FileStamp> stamp)
    : file_(std::move(file)), stamp_(stamp) {}

void SessionWriter::write(const Session& session) {
  refuse_foreign_file();
  serialise_new_points(session);

  const std::string head = head_of(session);
  std::vector<std::string_view> pieces{head};
  pieces.reserve(2 * written_.size() + 2);
  for (const auto& [point, line] : written_) {
    pieces.emplace_back(pieces.size() == 1 ? "\n" : ",\n");
    pieces.emplace_back(line);
  }
  pieces.emplace_back("\n]}\n");

  try {
    replace_file(file_, pieces);
  } catch (const std::system_error& error) {
    refuse(file_, std::string("the session cannot be written: ") + error.what(),
           "Nothing on the disk was changed; free some space or save to another folder.");
  }
  stamp_ = file_stamp(file_);
  owns_file_ = true;
}

void SessionWriter::refuse_foreign_file() {
  const std::optional<FileStamp> now = file_stamp(file_);
  if (now && now != stamp_) {
    refuse(file_, "another program has written this file since it was opened here",
           "Nothing was overwritten; save under another name, or open the file again.");
  }
  if (owns_file_ || !now || now->size == 0) return;
  try {
    load_session(file_);
  } catch (const SessionError& error) {
    throw SessionError(std::string(error.what()) + " It was not overwritten; save under another name.");
  }
}

void SessionWriter::serialise_new_points(const Session& session) {
  std::size_t kept = 0;
  while (kept < written_.size() && kept < session.points.size() &&
         written_[kept].first == session.points[kept]) {
    ++kept;
  }
  written_.resize(kept);
  for (; kept < session.points.size(); ++kept) {
    written_.emplace_back(session.points[kept], to_line(Json(*session.points[kept])));
  }
}

}  // namespace tilescope
