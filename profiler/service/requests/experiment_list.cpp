#include "profiler/service/requests/experiment_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/object_writer.hpp"

namespace tilescope {
namespace {

/// The place of a source among the different ones, at the end of which it is added where it is new.
std::int64_t place_of(const SourceFile& source, std::vector<const SourceFile*>& different) {
  const auto found = std::find_if(different.begin(), different.end(),
                                  [&](const SourceFile* other) { return *other == source; });
  const auto place = found - different.begin();
  if (found == different.end()) different.push_back(&source);
  return place;
}

void take_sources(const ObjectReader& object, std::vector<Experiment>& experiments) {
  if (object.find("sources") == nullptr) return;
  std::vector<SourceFile> sources;
  std::vector<std::int64_t> source_of;
  object.required("sources", sources, read_list<SourceFile>);
  object.required("source_of", source_of);
  if (source_of.size() != experiments.size())
    throw DocumentError("/source_of", "has not one entry for each experiment");
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const std::int64_t place = source_of[i];
    if (place == -1) continue;
    if (place < 0 || place >= std::ssize(sources))
      throw DocumentError("/source_of/" + std::to_string(i), "is not the place of a source");
    experiments[i].source = sources[static_cast<std::size_t>(place)];
  }
}

}  // namespace

void visit_experiments(const ObjectWriter& params, const std::vector<Experiment>& experiments) {
  std::vector<Experiment> bare;
  std::vector<const SourceFile*> different;
  std::vector<std::int64_t> source_of;
  for (const Experiment& experiment : experiments) {
    source_of.push_back(experiment.source ? place_of(*experiment.source, different) : -1);
    bare.push_back(experiment);
    bare.back().source.reset();
  }
  params.required("experiments", bare);
  if (different.empty()) return;
  Json sources = Json::array();
  for (const SourceFile* source : different) sources.push_back(*source);
  params.required("sources", sources);
  params.required("source_of", source_of);
}

void visit_experiments(const ObjectReader& params, std::vector<Experiment>& experiments) {
  params.required("experiments", experiments, read_list<Experiment>);
  take_sources(params, experiments);
}

}  // namespace tilescope
