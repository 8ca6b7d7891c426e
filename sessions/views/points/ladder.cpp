#include "sessions/views/points/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/ties.hpp"

namespace tilescope {

namespace {

constexpr int after_all_rungs = std::numeric_limits<int>::max();

struct ByConfiguration {
  bool operator()(const Measurement* a, const Measurement* b) const { return a->parameters < b->parameters; }
};

LadderKind ladder_kind(const Measurement& point, bool recorded) {
  if (!point.latency) return LadderKind::predicted;
  return recorded || point.latency->kind == LatencyKind::recorded ? LadderKind::recorded
                                                                  : LadderKind::measured;
}

bool are_tied(const Measurement& a, const Measurement& b, LadderKind kind) {
  return are_tied(metric_of(kind == LadderKind::predicted ? "predicted_p50" : "p50"), a, b);
}

/// Attention's own operations per microsecond, where the point does not say what it counts.
double tflops_of(const Measurement& point, double p50_us) {
  if (point.latency && point.latency->tflops > 0) return point.latency->tflops;
  return attention_flops(point.shape) / p50_us * 1e-6;
}

/// Timed bars come before predictions, then the lowest p50.
std::optional<std::size_t> fastest_of(const std::vector<LadderBar>& bars) {
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t i) {
    return std::pair(bars[i].kind == LadderKind::predicted, bars[i].p50_us);
  };
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (bars[i].other_operations) continue;
    if (!best || key(i) < key(*best)) best = i;
  }
  return best;
}

/// The fastest bar, and bars that a comparison cannot tell from it. A prediction is never tied with a timed bar.
void mark_fastest(LadderGroup& group) {
  group.fastest = fastest_of(group.bars);
  group.best_baseline = fastest_of(group.baselines);
  if (!group.fastest) return;
  LadderBar& fastest = group.bars[*group.fastest];
  fastest.is_fastest = true;
  for (LadderBar& bar : group.bars) {
    const bool comparable = !bar.other_operations &&
                            (bar.kind == LadderKind::predicted) == (fastest.kind == LadderKind::predicted);
    bar.ties_with_fastest = &bar != &fastest && comparable && are_tied(*bar.point, *fastest.point, bar.kind);
  }
}

}  // namespace

std::string to_string(LadderKind kind) {
  switch (kind) {
    case LadderKind::measured:
      return "measured";
    case LadderKind::recorded:
      return "recorded";
    case LadderKind::predicted:
      return "predicted";
  }
  return {};
}

const LadderBar* LadderGroup::reference() const {
  if (best_baseline) return &baselines[*best_baseline];
  return fastest ? &bars[*fastest] : nullptr;
}

bool Ladder::update(const PointList& session, const PointList& recorded, const LadderKernels& kernels,
                    const CurrentSources& sources) {
  const bool same = session_.continues(session) && recorded_.continues(recorded) && kernels == kernels_ &&
                    sources == sources_;
  if (!same) {
    std::vector<LadderGroup> former = std::move(groups_);
    *this = Ladder();
    groups_ = std::move(former);
  }
  const bool grows = session.size() > session_.count() || recorded.size() > recorded_.count();
  if (same && !grows) return false;
  kernels_ = kernels;
  sources_ = sources;
  const std::size_t recorded_end = std::min(recorded.size(), recorded_.count() + points_at_a_time);
  const std::size_t left = points_at_a_time - (recorded_end - recorded_.count());
  const std::size_t session_end = std::min(session.size(), session_.count() + left);
  take(recorded, recorded_end, recorded_, true);
  take(session, session_end, session_, false);
  complete_ = recorded_end == recorded.size() && session_end == session.size();
  if (complete_) make_groups();
  return complete_;
}

void Ladder::take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded) {
  for (std::size_t i = taken.count(); i < end; ++i) take_point(list[i], recorded);
  taken.advance(list, end);
}

void Ladder::take_point(const SharedMeasurement& point, bool recorded) {
  if (point->status != Status::ok || point->arguments) return;
  LadderKernel kernel;
  const auto found = kernels_.find(point->kernel);
  if (found != kernels_.end()) {
    kernel = found->second;
  } else if (!point->provenance.library_version.empty()) {
    kernel.role = LadderKernel::Role::baseline;
  }
  if (kernel.role == LadderKernel::Role::left_out) return;

  Candidate candidate;
  if (point->latency) {
    candidate = {point->latency->p10_us, point->latency->p50_us, point->latency->p90_us, false, point};
  } else if (point->prediction) {
    candidate = {point->prediction->low_us, point->prediction->p50_us, point->prediction->high_us, false,
                 point};
  }
  if (!(candidate.p50_us > 0) || !std::isfinite(candidate.p50_us)) return;
  candidate.older_source = !recorded && is_of_older_source(*point, sources_);
  const bool is_baseline = kernel.role == LadderKernel::Role::baseline;
  const int place = kernel.rung > 0 ? kernel.rung : after_all_rungs;
  candidates_[{point->device.name, point->shape}]
             [{is_baseline, place, point->kernel, ladder_kind(*point, recorded)}]
                 .push_back(std::move(candidate));
}

/// `candidates` must not be empty.
LadderBar Ladder::best_of(const std::vector<Candidate>& candidates, LadderKind kind) {
  // A point of the present source outranks a point of an older one.
  const auto key = [](const Candidate& candidate) {
    return std::pair(candidate.older_source, candidate.p50_us);
  };
  const Candidate& best = *std::min_element(candidates.begin(), candidates.end(),
                                            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  LadderBar bar;
  bar.point = best.point;
  bar.kind = kind;
  bar.older_source = best.older_source;
  bar.low_us = best.low_us;
  bar.p50_us = best.p50_us;
  bar.high_us = best.high_us;
  bar.tflops = tflops_of(*best.point, best.p50_us);
  bar.other_operations = times_part_of_attention(*best.point);
  std::set<const Measurement*, ByConfiguration> tied{best.point.get()};
  for (const Candidate& other : candidates) {
    if (other.older_source != best.older_source) continue;
    ++bar.candidates;
    if (tied.size() <= LadderBar::max_ties && are_tied(*other.point, *best.point, kind))
      tied.insert(other.point.get());
  }
  bar.ties = tied.size() - 1;
  return bar;
}

void Ladder::make_groups() {
  groups_.clear();
  std::set<std::string> names;
  for (const auto& [key, bars] : candidates_) {
    LadderGroup group{std::get<1>(key), std::get<0>(key), {}, {}, {}, {}};
    for (const auto& [bar_key, candidates] : bars) {
      const auto& [is_baseline, place, kernel, kind] = bar_key;
      (is_baseline ? group.baselines : group.bars).push_back(best_of(candidates, kind));
      names.insert(kernel);
    }
    mark_fastest(group);
    groups_.push_back(std::move(group));
  }
  kernels_count_ = names.size();
}

}  // namespace tilescope
