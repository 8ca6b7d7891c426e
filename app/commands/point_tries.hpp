#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/explanation/tries/layout_answers.hpp"
#include "profiler/service/client/client.hpp"

namespace tilescope {

/// A point whose changes are tried.
struct TriedSubject {
  const Measurement& point;
  /// As the point was asked for.
  const Experiment& experiment;
  const KernelDeclaration& kernel;
  const DeviceModel& device;
  /// Makes a changed point.
  std::function<Measurement(const Experiment&)> make;
  /// Names the change that is being tried.
  std::function<void(const std::string&)> progress;
};

/// Compiles, counts and predicts changes of one parameter, until all are tried or Ctrl-C. Where the device is not present
/// the next ones are compiled on idle cores.
std::vector<TriedChange> try_changes(Client& client, const TriedSubject& subject);

/// Why a point has no tries, a sentence.
std::string why_no_tries(const Measurement& point);

/// For a point with bank conflicts, the layouts that the solver finds for the tiles of its first block, counted where the
/// kernel has them. Empty without a diagnosis of bank conflicts.
std::vector<LayoutAnswer> solve_conflicts(Client& client, const TriedSubject& subject);

/// The layouts under a heading, for the user; "" for none.
std::string layouts_section(const std::vector<LayoutAnswer>& answers);

}  // namespace tilescope
