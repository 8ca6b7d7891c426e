#include "sessions/standing.hpp"

namespace tilescope {

bool is_of_older_source(const Measurement& point, const CurrentSources& now) {
  if (point.provenance.source_sha256.empty()) return false;
  const auto found = now.find(point.kernel);
  return found != now.end() && found->second != point.provenance.source_sha256;
}

bool is_about_the_machine(Status status) {
  return status == Status::worker_lost || status == Status::unsupported;
}

bool is_worth_keeping(Status status) {
  return status != Status::cancelled && status != Status::invalid_configuration &&
         !is_about_the_machine(status);
}

Standing standing_of(const Measurement& point, const Circumstances& now) {
  if (is_of_older_source(point, now.sources)) return Standing::older_source;
  // Not known of which source: the file may have been repaired since.
  if (point.status == Status::compile_failed && point.provenance.source_sha256.empty())
    return Standing::older_source;
  if (point.status == Status::cancelled || is_about_the_machine(point.status)) return Standing::inconclusive;
  const bool could_be_timed = now.device_present && !point.device.present;
  return point.status == Status::ok && could_be_timed ? Standing::could_be_timed : Standing::final;
}

}  // namespace tilescope
