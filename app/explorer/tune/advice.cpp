#include "app/explorer/tune/advice.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/points/shown_point.hpp"

namespace tilescope {
namespace {

// Whether both are of the same source, parameters, shape and device.
bool is_of_same_run(const Measurement& a, const Measurement& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters && a.shape == b.shape &&
         a.device.name == b.device.name && a.provenance.source_sha256 == b.provenance.source_sha256;
}

}  // namespace

Advice::Advice(Board& board)
    : board_(board),
      shown_(board.get<ShownPoint>()),
      counts_of_kernel_(board.get<KernelCounts>()),
      task_(board.parts.background) {}

// Changes are tried for the point under the sliders with its present source only: others could not be applied there, and
// an older source's changes would be compiled from the new one.
bool Advice::can_count(const SharedMeasurement& point) const {
  const Board::Parts& parts = board_.parts;
  return parts.jobs.has_worker() && point == parts.jobs.current_point() && !shown_.is_another() &&
         point->status == Status::ok && parts.kernels.find(point->kernel) != nullptr &&
         parts.selection.declaration_error().empty() && !is_of_older_source(*point, parts.kernels.sources());
}

void Advice::update(const SharedMeasurement& point) {
  const std::uint64_t revision = board_.parts.kernels.revision();
  const bool counts = point && can_count(point);
  if (point != point_ || revision != kernels_revision_ || counts != counts_) {
    point_ = point;
    kernels_revision_ = revision;
    counts_ = counts;
    derive(point);
  }
  derive_applied();
  if (!counts_ || !board_.parts.jobs.is_idle()) return;
  want_explanation();
  if (explained_ || !counts_of_kernel_.waits()) ask_for_next();
}

// The saving of each repair comes behind the point: slider points are not explained.
void Advice::want_explanation() {
  const bool is_explained = point_->prediction && !point_->prediction->without.empty();
  if (is_explained || explained_ || !point_->prediction) return;
  counts_of_kernel_.want();
  const SharedMeasurement counts = counts_of_kernel_.shown();
  if (!counts || !counts->prediction || counts->prediction->without.empty()) return;
  if (!is_of_same_run(*counts, *point_)) return;
  explained_ = counts;
  Measurement point = *point_;
  point.prediction = counts->prediction;
  derive_items(point, true);
  derive_texts();
}

void Advice::derive_items(const Measurement& point, bool is_explained) {
  static const KernelDeclaration unknown;
  const KernelDeclaration* declared = board_.parts.kernels.find(point.kernel);
  const KernelDeclaration& kernel = declared == nullptr ? unknown : *declared;
  const DiagnosisInput input{point, kernel, board_.parts.selection.find_device(point.device.name)};
  items_.clear();
  for (Diagnosis& diagnosis : is_explained ? diagnose_again(input) : diagnoses_of(input)) {
    const DiagnosisRule* rule = find_rule(diagnosis.kind);
    items_.push_back({std::move(diagnosis), rule, {}});
  }
}

void Advice::derive(const SharedMeasurement& point) {
  ++generation_;
  items_.clear();
  explained_ = nullptr;
  tries_ = Tries();
  text_ = {};
  task_.drop();
  if (!point) return;
  static const KernelDeclaration unknown;
  const KernelDeclaration* declared = board_.parts.kernels.find(point->kernel);
  const KernelDeclaration& kernel = declared == nullptr ? unknown : *declared;
  const DeviceModel* device = board_.parts.selection.find_device(point->device.name);
  derive_items(*point, false);
  derive_texts();
  if (counts_) list_tries(point, kernel, device);
}

// Hundreds of expressions are evaluated: not on the window's thread.
void Advice::list_tries(const SharedMeasurement& point, const KernelDeclaration& kernel,
                        const DeviceModel* device) {
  const std::optional<DeviceModel> model = device == nullptr ? std::nullopt : std::optional(*device);
  task_.start([this, point, kernel, model] {
    const auto listed = std::make_shared<Tries>(point, kernel, model ? &*model : nullptr);
    return [this, listed] {
      tries_ = std::move(*listed);
      take_known();
      derive_texts();
      board_.parts.notices.draw_again();
    };
  });
}

// Taking one may add the step after it.
void Advice::take_known() {
  for (std::size_t i = 0; i < tries_.list().size(); ++i) {
    const ParameterChange change = tries_.list()[i].change;
    if (SharedMeasurement known = board_.parts.jobs.find_known(with_change(*point_, change)))
      tries_.take(change, std::move(known));
  }
}

void Advice::ask_for_next() {
  const ParameterChange* next = tries_.next();
  if (next == nullptr) return;
  Experiment experiment = with_change(*point_, *next);
  experiment.timing_budget_s = board_.parts.selection.experiment().timing_budget_s;
  const auto done = [this, generation = generation_, change = *next](const SharedMeasurement& result) {
    if (generation != generation_ || !result) return;
    tries_.take(change, result);
    derive_texts();
  };
  board_.parts.jobs.prefetch(Jobs::Prefetch::alternative, experiment, done);
}

void Advice::derive_texts() {
  text_ = tries_text(*point_, counts_ ? tries_.records() : point_->tries);
  for (Item& item : items_) item.options.clear();
  for (const TriesText::Gain& gain : text_.gains) {
    const ParameterChange change{gain.parameter, gain.value};
    const auto tried = std::ranges::find(tries_.list(), change, &Try::change);
    if (tried == tries_.list().end()) continue;
    for (Item& item : items_) {
      if (item.rule == nullptr || !repairs(*item.rule, *point_, *tried->result)) continue;
      item.options.push_back({change, gain.text + "; " + metric_words(*item.rule, *tried->result)});
    }
  }
}

const DiagnosisRule* Advice::rule_repaired_by(const ParameterChange& change) const {
  for (const Item& item : items_) {
    if (std::ranges::find(item.options, change, &Option::change) != item.options.end()) return item.rule;
  }
  return nullptr;
}

void Advice::apply(const ParameterChange& change) {
  Experiment experiment = board_.parts.selection.experiment();
  experiment.parameters[change.parameter] = change.value;
  repair_ = Repair{rule_repaired_by(change), change, point_, {}};
  applied_.reset();
  board_.parts.selection.set_experiment(std::move(experiment));
  repair_->experiment = board_.parts.selection.experiment();
}

void Advice::derive_applied() {
  if (!repair_ || shown_.is_another() || repair_->experiment != board_.parts.selection.experiment())
    return applied_.reset();
  const SharedMeasurement now = board_.parts.jobs.measuring() ? nullptr : board_.parts.jobs.current_point();
  if (applied_ && applied_->now == now) return;
  applied_ = Applied{repair_->change, repair_->before, now, "", {}};
  if (!now) return;
  applied_->sentence = worth_sentence(repair_->rule, *repair_->before, *now);
  applied_->rows = worth_of(repair_->rule, *repair_->before, *now);
}

}  // namespace tilescope
