#include "app/commands/point_tries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/terminal.hpp"
#include "profiler/explanation/tries/tries.hpp"
#include "profiler/service/requests/compile_ahead.hpp"
#include "profiler/views/memory/arriving_block.hpp"

namespace tilescope {
namespace {

Experiment with_change(Experiment experiment, const ParameterChange& change) {
  experiment.parameters[change.parameter] = change.value;
  return experiment;
}

void compile_ahead(Client& client, const TriedSubject& subject, const Tries& tries) {
  CompileAhead::Params params;
  for (const Try& each : tries.list())
    params.experiments.push_back(with_change(subject.experiment, each.change));
  ask<CompileAhead>(client, std::move(params));
}

// nullptr where it cannot be recorded.
std::shared_ptr<const RecordedBlock> record_block(Client& client, const TriedSubject& subject,
                                                  const Experiment& experiment) {
  const RecordBlock::Params params = every_access(experiment, 0);
  ArrivingBlock arriving(params, subject.kernel, subject.device);
  const RecordingSummary summary = ask<RecordBlock>(client, params, {}, RecordBlock::time_limit,
                                                    [&](const Json& piece) { arriving.append(piece); });
  if (summary.status != Status::ok) return nullptr;
  try {
    return arriving.complete(summary);
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Records a block of each change once.
void count_changes(Client& client, const TriedSubject& subject, std::vector<LayoutAnswer>& answers) {
  std::map<std::string, std::shared_ptr<const RecordedBlock>> blocks;
  for (LayoutAnswer& answer : answers) {
    if (!answer.change || interrupted()) continue;
    const auto [block, is_new] = blocks.try_emplace(to_string(*answer.change));
    if (is_new)
      block->second = record_block(client, subject, with_change(subject.experiment, *answer.change));
    if (block->second)
      answer.counted = static_cast<std::int64_t>(totals_of(*block->second, answer.tile).wavefronts);
  }
}

}  // namespace

std::vector<TriedChange> try_changes(Client& client, const TriedSubject& subject) {
  Tries tries(std::make_shared<const Measurement>(subject.point), subject.kernel, &subject.device);
  if (!subject.device.present && tries.next() != nullptr) compile_ahead(client, subject, tries);
  while (const ParameterChange* next = tries.next()) {
    if (interrupted()) break;
    const ParameterChange change = *next;
    subject.progress(fmt::format("try {}, {} of {}", to_string(change), tries.tried() + 1,
                                 std::min(tries.list().size(), max_tries)));
    Measurement result = subject.make(with_change(subject.experiment, change));
    if (result.status == Status::cancelled) break;
    tries.take(change, std::make_shared<const Measurement>(std::move(result)));
  }
  return tries.records();
}

std::string why_no_tries(const Measurement& point) {
  if (point.status != Status::ok) return "Only changes of a correct point are tried.";
  if (!point.latency && !point.prediction)
    return "The point has no latency and no prediction to compare with.";
  return "No parameter of the kernel has another valid value.";
}

std::vector<LayoutAnswer> solve_conflicts(Client& client, const TriedSubject& subject) {
  std::vector<LayoutAnswer> answers;
  const auto is_conflict = [](const Diagnosis& diagnosis) { return diagnosis.kind == "bank_conflicts"; };
  if (!subject.point.diagnoses || std::ranges::none_of(*subject.point.diagnoses, is_conflict)) return answers;
  subject.progress("search layouts");
  const auto block = record_block(client, subject, subject.experiment);
  if (!block) return answers;
  FoundLayouts found = find_layouts({block, ""}, subject.kernel, subject.device);
  for (const std::string& tile : conflicting_tiles(found)) {
    if (interrupted()) break;
    if (!found.solved || found.solved->tile.name != tile)
      found = find_layouts({block, tile}, subject.kernel, subject.device);
    std::ranges::move(layout_answers(found), std::back_inserter(answers));
  }
  count_changes(client, subject, answers);
  return answers;
}

std::string layouts_section(const std::vector<LayoutAnswer>& answers) {
  if (answers.empty()) return "";
  std::string text = "Layouts, wavefronts of one block\n";
  for (const LayoutWords& words : words_of(answers)) {
    text += "  " + prose(words.layout, 4) + "\n";
    std::vector<std::string> lines = words.tiles;
    lines.push_back(words.swizzle);
    lines.push_back(words.index);
    for (const std::string& line : lines) {
      if (!line.empty()) text += "    " + prose(line, 6) + "\n";
    }
  }
  return text;
}

}  // namespace tilescope
