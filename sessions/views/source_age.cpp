#include "sessions/views/source_age.hpp"

namespace tilescope {

bool is_of_older_source(const Measurement& point, const CurrentSources& now) {
  if (point.provenance.source_sha256.empty()) return false;
  const auto found = now.find(point.kernel);
  return found != now.end() && found->second != point.provenance.source_sha256;
}

}  // namespace tilescope
