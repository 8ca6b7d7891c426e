#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/installation.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// The session that a command appends to: read if it is there, written after every point. What goes wrong
/// with the file never costs a point: it is kept as a sentence, and the next point tries again.
class SessionFile {
 public:
  /// An empty path is no session: nothing is written and nothing can go wrong.
  SessionFile(const std::filesystem::path& file, const Installation& installation);

  /// `kernel` is where the point's source is looked for when the compiler's store does not have it.
  /// Returns the point as the session holds it.
  std::shared_ptr<const Measurement> append(const Measurement& point, const KernelDeclaration* kernel);

  const Session& session() const { return session_; }
  /// Why the last point is not in the file, "" when it is.
  const std::string& problem() const { return problem_; }
  bool is_open() const { return writer_.has_value(); }
  const Installation& installation() const { return installation_; }

 private:
  void keep_source(const Measurement& point, const KernelDeclaration* kernel);

  Installation installation_;
  Session session_;
  std::optional<SessionWriter> writer_;
  std::string problem_;
};

}  // namespace tilescope
