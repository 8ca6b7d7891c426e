#include "profiler/service/client/client.hpp"

#include <map>
#include <optional>

namespace tilescope {

void Client::carry_sources(std::span<Experiment> experiments) const {
  if (!find_source_) return;
  std::map<std::string, std::optional<SourceFile>> found;
  for (Experiment& experiment : experiments) {
    if (experiment.source) continue;
    const auto [source, is_new] = found.try_emplace(experiment.kernel);
    if (is_new) source->second = find_source_(experiment.kernel);
    experiment.source = source->second;
  }
}

}  // namespace tilescope
