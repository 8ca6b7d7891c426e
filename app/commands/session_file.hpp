#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// The session to which a command appends: read if it exists, written after every point. Other programs may append to it
/// at the same time: their points are kept, and come into session(). An error of the file never loses a point: it is
/// kept as a sentence, and the next point tries again.
class SessionFile {
 public:
  /// An empty path means no session: nothing is written. Throws UnreadableInput for a file that is not a session.
  SessionFile(const std::filesystem::path& file, const Installation& installation);

  /// `kernel` is used to find the point's source when the compiler's store does not have it. Returns the point in the
  /// session.
  SharedMeasurement append(const Measurement& point, const KernelDeclaration* kernel);

  /// A point of an opened file, whose source has no text where only machine code was opened.
  void append(const Measurement& point, const SourceFile& source);

  /// Appends points of other programs, which have no source, and writes the session once. `choose` sees the session as
  /// it is in the file while no other program writes it.
  void append(const std::function<std::vector<Measurement>(const Session&)>& choose);

  const Session& session() const { return session_; }
  /// The reason why the last point is not in the file, "" when it is.
  const std::string& problem() const { return problem_; }
  bool is_open() const { return writer_.has_value(); }
  const Installation& installation() const { return installation_; }

 private:
  SharedMeasurement append(const Measurement& point,
                           std::optional<std::pair<std::string, SourceFile>> source);
  void update(const std::function<bool(Session&)>& change);
  std::optional<std::pair<std::string, SourceFile>> source_of(const Measurement& point,
                                                              const KernelDeclaration* kernel) const;

  Installation installation_;
  Session session_;
  std::optional<SessionWriter> writer_;
  std::string problem_;
};

}  // namespace tilescope
