#include "app/commands/resolved_side.hpp"

#include <utility>

#include "app/commands/experiment_options.hpp"

namespace tilescope {

SideResolver::SideResolver(const Catalogue& catalogue, std::vector<std::string> settings)
    : catalogue_(catalogue), settings_(std::move(settings)) {}

ComparedSide SideResolver::read(const std::string& text) const {
  ComparedSide side = read_compared_side(text);
  for (const std::string& setting : settings_) {
    const auto [name, value] = split_assignment("--set", setting);
    side.parameters.emplace(name, parameter_value_from(value));
  }
  return side;
}

ResolvedSide SideResolver::resolve(const ComparedSide& side, const Experiment& conditions) {
  if (is_opened(side, catalogue_)) return {std::nullopt, {}, side};
  if (!side.is_session) return {experiment_of(side, catalogue_, conditions), {}, side};
  Measurement point = *chosen_point(side, session(side.name));
  if (point.latency) point.latency->kind = LatencyKind::recorded;
  return {std::nullopt, std::move(point), side};
}

const Session& SideResolver::session(const std::string& file) {
  auto found = sessions_.find(file);
  if (found == sessions_.end()) found = sessions_.emplace(file, load_session(file)).first;
  return found->second;
}

std::optional<SourceFile> SideResolver::source_of(const ResolvedSide& side, const Measurement& point,
                                                  const SourceStore& store) {
  if (side.opened) return side.opened->source;
  const std::string& sha256 = point.provenance.source_sha256;
  if (side.side.is_session) {
    const auto& carried = session(side.side.name).sources;
    if (const auto found = carried.find(sha256); found != carried.end()) return found->second;
  }
  return store.find(sha256);
}

}  // namespace tilescope
