#include "app/commands/session_file.hpp"

#include <algorithm>
#include <utility>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "base/clock.hpp"
#include "base/json_reader.hpp"
#include "profiler/service/client/point_source.hpp"

namespace tilescope {
namespace {

Session new_session(const std::filesystem::path& file) {
  Session session;
  session.title = file.stem().string();
  session.created_utc = utc_now();
  session.tilescope_version = tilescope_version();
  return session;
}

/// Throws DocumentError for a point that could not be read again, and would take the whole session with it.
void refuse_unreadable(const Measurement& point) {
  Measurement ignored;
  from_json(Json(point), ignored);
}

}  // namespace

SessionFile::SessionFile(const std::filesystem::path& file, const Installation& installation)
    : installation_(installation) {
  if (file.empty()) return;
  try {
    SessionWriter writer(file);
    std::optional<Session> session = writer.read();
    session_ = session ? *std::move(session) : new_session(file);
    writer_.emplace(std::move(writer));
  } catch (const SessionError& error) {
    throw UnreadableInput(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw UnreadableInput(file.string() + ": cannot be read: " + error.code().message() +
                          ". Name another file.");
  }
}

SharedMeasurement SessionFile::append(const Measurement& point, const KernelDeclaration* kernel) {
  return append(point, writer_ ? source_of(point, kernel) : std::nullopt);
}

void SessionFile::append(const Measurement& point, const SourceFile& source) {
  const std::string& hash = point.provenance.source_sha256;
  const bool is_carried = !hash.empty() && !source.text.empty();
  append(point, is_carried ? std::optional(std::pair(hash, source)) : std::nullopt);
}

SharedMeasurement SessionFile::append(const Measurement& point,
                                      std::optional<std::pair<std::string, SourceFile>> source) {
  auto kept = std::make_shared<const Measurement>(point);
  if (!writer_) return kept;
  try {
    refuse_unreadable(point);
  } catch (const std::exception& error) {
    problem_ = std::string("the point is not possible: ") + error.what();
    return kept;
  }
  update([&](Session& session) {
    if (source) session.sources.insert(*source);
    session.points.push_back(kept);
    return true;
  });
  return kept;
}

void SessionFile::append(const std::function<std::vector<Measurement>(const Session&)>& choose) {
  if (!writer_) return;
  update([&](Session& session) {
    const std::vector<Measurement> points = choose(session);
    session.points.reserve(session.points.size() + points.size());
    std::ranges::for_each(points, refuse_unreadable);  // All of them before any is kept.
    for (const Measurement& point : points)
      session.points.push_back(std::make_shared<const Measurement>(point));
    return !points.empty();
  });
}

void SessionFile::update(const std::function<bool(Session&)>& change) {
  LockPatience patience;
  // A sweep does not wait at every point for a lock that is never freed.
  if (!problem_.empty()) patience.limit = patience.quiet;
  patience.waiting = [this] {
    say("tilescope: waiting for another program that writes " + writer_->file().string());
  };
  try {
    writer_->update(session_, change, patience);
    problem_.clear();
  } catch (const SessionError& error) {
    problem_ = error.what();
  } catch (const DocumentError& error) {
    problem_ = std::string("a point is not possible: ") + error.what();
  }
}

std::optional<std::pair<std::string, SourceFile>> SessionFile::source_of(
    const Measurement& point, const KernelDeclaration* kernel) const {
  const std::string& hash = point.provenance.source_sha256;
  if (hash.empty() || session_.sources.contains(hash)) return std::nullopt;
  const std::filesystem::path file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  auto source = find_point_source(point, installation_, file);
  if (!source) return std::nullopt;
  return std::pair(hash, *std::move(source));
}

}  // namespace tilescope
