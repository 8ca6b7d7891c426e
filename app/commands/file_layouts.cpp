#include "app/commands/file_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/point_tries.hpp"
#include "app/commands/terminal.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/views/memory/arriving_block.hpp"

namespace tilescope {
namespace {

bool has_conflicts(const OpenedPoint& point) {
  return point.diagnoses && std::ranges::any_of(*point.diagnoses, [](const Diagnosis& diagnosis) {
           return diagnosis.kind == "bank_conflicts";
         });
}

ChosenFile launched(const OpenedPoint& point, const OpenFile::Params& opened) {
  ChosenFile file{opened.subject, opened.chosen, opened.options, opened.device};
  file.subject.entry = point.entry;
  if (!point.launch.empty()) file.subject.launch = SentFile{"the launch", point.launch};
  return file;
}

// nullptr where it cannot be recorded.
std::shared_ptr<const RecordedBlock> record(Client& client, ChosenFile file) {
  RecordBlock::Params params = every_access({}, 0);
  params.file = std::move(file);
  ArrivingBlock arriving(params, {}, {});
  const RecordingSummary summary = ask<RecordBlock>(client, params, {}, RecordBlock::time_limit,
                                                    [&](const Json& piece) { arriving.append(piece); });
  if (summary.status != Status::ok) return nullptr;
  try {
    return arriving.complete(summary);
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool can_grow(const RecordedBlock& block, const std::string& array) {
  const auto tile = std::ranges::find(block.source_tiles, array, &SourceTile::name);
  return tile != block.source_tiles.end() && tile->can_grow;
}

// Records a block of each padding once.
void count_paddings(Client& client, const RecordedBlock& block, const ChosenFile& file,
                    std::vector<LayoutAnswer>& answers) {
  for (LayoutAnswer& answer : answers) {
    if (answer.added_columns <= 0 || !can_grow(block, answer.tile) || interrupted()) continue;
    ChosenFile padded = file;
    std::string& columns = padded.chosen[added_columns_choice(answer.tile)];
    columns = std::to_string((columns.empty() ? 0 : std::stoll(columns)) + answer.added_columns);
    if (const auto recorded = record(client, std::move(padded)))
      answer.counted = static_cast<std::int64_t>(totals_of(*recorded, answer.tile).wavefronts);
  }
}

}  // namespace

std::vector<LayoutAnswer> solve_file_conflicts(Client& client, const OpenedPoint& point,
                                               const OpenFile::Params& opened) {
  std::vector<LayoutAnswer> answers;
  if (!has_conflicts(point)) return answers;
  const ChosenFile file = launched(point, opened);
  const auto block = record(client, file);
  if (!block) return answers;
  FoundLayouts found = find_layouts({block, ""}, {}, {});
  for (const std::string& tile : conflicting_tiles(found)) {
    if (interrupted()) break;
    if (!found.solved || found.solved->tile.name != tile) found = find_layouts({block, tile}, {}, {});
    std::ranges::move(layout_answers(found), std::back_inserter(answers));
  }
  count_paddings(client, *block, file, answers);
  return answers;
}

std::string file_layouts_section(const std::vector<LayoutAnswer>& answers) {
  std::string text = layouts_section(answers);
  const auto padding =
      std::ranges::find_if(answers, [](const LayoutAnswer& answer) { return answer.counted.has_value(); });
  if (padding != answers.end()) {
    text +=
        "  " +
        prose(fmt::format("Counted with the padding compiled in; the file stays as it is: --set \"{}={}\".",
                          added_columns_choice(padding->tile), padding->added_columns),
              2) +
        "\n";
  }
  return text;
}

}  // namespace tilescope
