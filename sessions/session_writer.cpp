#include <system_error>
#include <utility>

#include "base/abandoned_files.hpp"
#include "base/json_reader.hpp"
#include "sessions/session.hpp"
#include "sessions/session_merge.hpp"

namespace tilescope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why,
                         const std::string& remedy) {
  throw SessionError(file.string() + ": " + why + ". " + remedy);
}

constexpr const char* unchanged =
    "Nothing on the disk was changed; free some space or save to another folder.";

/// The text before the points.
std::string head_of(const Session& session) {
  Json sources = Json::object();
  for (const auto& [hash, source] : session.sources) {
    sources[hash] = source;
  }
  Json head{{"format", session_format_name},
            {"version", session_format_version},
            {"title", session.title},
            {"created_utc", session.created_utc},
            {"tilescope_version", session.tilescope_version},
            {"sources", std::move(sources)}};
  session.unknown.write_to(head);
  std::string text = to_indented_text(head);
  text.erase(text.rfind('\n'));  // The closing brace: the points come before it.
  return text + ",\n  \"points\": [";
}

/// A point as a line.
std::string line_of(const SharedMeasurement& point, const Session& session) {
  Json json(*point);
  const auto unknown = session.unknown_of_points.find(point);
  if (unknown != session.unknown_of_points.end()) unknown->second.write_to(json);
  return to_line(json);
}

std::uint64_t size_of(const std::vector<std::string_view>& pieces) {
  std::uint64_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  return size;
}

}  // namespace

std::string session_text(const Session& session) {
  std::string text = head_of(session);
  for (std::size_t i = 0; i < session.points.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + line_of(session.points[i], session);
  return text + "\n]}\n";
}

SessionWriter::SessionWriter(std::filesystem::path file)
    : file_(std::move(file)), stamp_(file_stamp(file_)) {}

SessionWriter::SessionWriter(std::filesystem::path file, std::optional<FileStamp> stamp)
    : file_(std::move(file)), stamp_(stamp) {}

std::optional<Session> SessionWriter::read() {
  stamp_ = file_stamp(file_);  // First, so that what is written meanwhile is noticed.
  std::error_code ignored;
  const bool is_file =
      std::filesystem::is_regular_file(file_, ignored);  // A pipe or a device has a size of 0, too.
  if (!stamp_ || (stamp_->size == 0 && is_file)) return std::nullopt;
  Session session = load_session(file_);
  in_file_ = session.points;
  knows_file_ = true;
  return session;
}

void SessionWriter::assume(std::vector<SharedMeasurement> points) {
  in_file_ = std::move(points);
  knows_file_ = false;
}

void SessionWriter::write(const Session& session) {
  const std::unique_ptr<FileLock> held = lock({});
  refuse_foreign_file();
  replace(session);
}

void SessionWriter::update(Session& session, const std::function<bool(Session&)>& change,
                           const LockPatience& patience) {
  std::unique_ptr<FileLock> held;
  try {
    held = lock(patience);
    take_in(session);
  } catch (const SessionError&) {
    change(session);
    throw;
  }
  if (!change(session) && session.points == in_file_) return;
  replace(session);
}

std::unique_ptr<FileLock> SessionWriter::lock(const LockPatience& patience) const {
  std::error_code ignored;
  if (std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored))
    refuse(file_, "the session cannot be written: it is not a regular file", "Name another file.");
  try {
    return std::make_unique<FileLock>(file_, patience);
  } catch (const LockTimeout& error) {
    refuse(file_, std::string("the session was not written: ") + error.what(),
           "End that program or name another session.");
  } catch (const std::system_error& error) {
    refuse(file_, std::string("the session cannot be written: ") + error.what(), unchanged);
  }
}

void SessionWriter::refuse_foreign_file() {
  const std::optional<FileStamp> now = file_stamp(file_);
  if (now && now != stamp_) {
    refuse(file_, "another program has written this file since it was opened here",
           "Nothing was overwritten; save under another name, or open the file again.");
  }
  if (knows_file_ || !now || now->size == 0) return;
  try {
    load_session(file_);
  } catch (const SessionError& error) {
    throw SessionError(std::string(error.what()) + " It was not overwritten; save under another name.");
  }
}

void SessionWriter::take_in(Session& session) {
  const std::optional<FileStamp> now = file_stamp(file_);
  if (!now || now->size == 0 || (knows_file_ && now == stamp_)) return;
  try {
    in_file_ = merge_session(load_session(file_), in_file_, session);
  } catch (const SessionError& error) {
    throw SessionError(std::string(error.what()) + " It was not overwritten; name another session.");
  }
  stamp_ = now;
  knows_file_ = true;
}

void SessionWriter::replace(const Session& session) {
  serialise_new_points(session);
  const std::string head = head_of(session);
  std::vector<std::string_view> pieces{head};
  pieces.reserve(2 * written_.size() + 2);
  for (const auto& [point, line] : written_) {
    pieces.emplace_back(pieces.size() == 1 ? "\n" : ",\n");
    pieces.emplace_back(line);
  }
  pieces.emplace_back("\n]}\n");
  if (size_of(pieces) > session_file_limit)
    refuse(file_, "the session would be larger than 1 GiB and could not be read", "Begin another session.");

  if (!std::exchange(has_written_, true)) remove_abandoned_files_in(real_path(file_).parent_path());
  std::string failure;
  try {
    replace_file(file_, pieces);
  } catch (const std::system_error& error) {
    // After the rename only its flush can fail: then the session is there.
    if (file_stamp(file_) == stamp_)
      refuse(file_, std::string("the session cannot be written: ") + error.what(), unchanged);
    failure = error.what();
  }
  stamp_ = file_stamp(file_);
  knows_file_ = true;
  in_file_ = session.points;
  if (!failure.empty()) refuse(file_, "the session was written, but " + failure, "Check the disk.");
}

void SessionWriter::serialise_new_points(const Session& session) {
  std::size_t kept = 0;
  while (kept < written_.size() && kept < session.points.size() &&
         written_[kept].first == session.points[kept]) {
    ++kept;
  }
  written_.resize(kept);
  for (; kept < session.points.size(); ++kept) {
    written_.emplace_back(session.points[kept], line_of(session.points[kept], session));
  }
}

}  // namespace tilescope
