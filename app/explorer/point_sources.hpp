#pragma once

#include <map>
#include <optional>
#include <string>

#include "sessions/measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

class Explorer;

/// The sources that points were compiled from: of the open session, of recorded ones, or from the compiler's store and
/// the kernel's file. Those of files are read once.
class PointSources {
 public:
  /// nullptr where nobody has the source any more: then the point's lines cannot be shown.
  const SourceFile* find(const Explorer& explorer, const Measurement& point);

 private:
  std::map<std::string, std::optional<SourceFile>> read_;
};

}  // namespace tilescope
