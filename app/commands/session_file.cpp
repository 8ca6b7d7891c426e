#include "app/commands/session_file.hpp"

#include <utility>

#include "profiler/client/point_source.hpp"
#include "sessions/clock.hpp"

namespace tilescope {
namespace {

Session new_session(const std::filesystem::path& file) {
  Session session;
  session.title = file.stem().string();
  session.created_utc = utc_now();
  session.tilescope_version = tilescope_version();
  return session;
}

}  // namespace

SessionFile::SessionFile(const std::filesystem::path& file, const Installation& installation)
    : installation_(installation) {
  if (file.empty()) return;
  try {
    // The writer first, so that later writes by another program are noticed.
    SessionWriter writer(file);
    session_ = std::filesystem::exists(file) && !std::filesystem::is_empty(file) ? load_session(file)
                                                                                 : new_session(file);
    writer_.emplace(std::move(writer));
  } catch (const SessionError& error) {
    problem_ = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    problem_ = file.string() + ": cannot be read: " + error.code().message() + ". Name another file.";
  }
}

std::shared_ptr<const Measurement> SessionFile::append(const Measurement& point,
                                                       const KernelDeclaration* kernel) {
  auto kept = std::make_shared<const Measurement>(point);
  if (!writer_) return kept;
  keep_source(point, kernel);
  session_.points.push_back(kept);
  write();
  return kept;
}

void SessionFile::append(const std::vector<Measurement>& points) {
  if (!writer_) return;
  session_.points.reserve(session_.points.size() + points.size());
  for (const Measurement& point : points) {
    session_.points.push_back(std::make_shared<const Measurement>(point));
  }
  write();
}

void SessionFile::write() {
  try {
    writer_->write(session_);
    problem_.clear();
  } catch (const SessionError& error) {
    problem_ = error.what();
  }
}

void SessionFile::keep_source(const Measurement& point, const KernelDeclaration* kernel) {
  const std::string& hash = point.provenance.source_sha256;
  if (hash.empty() || session_.sources.contains(hash)) return;
  const std::filesystem::path file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  if (auto source = find_point_source(point, installation_, file))
    session_.sources[hash] = *std::move(source);
}

}  // namespace tilescope
