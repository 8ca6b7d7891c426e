#include "profiler/execution/memory/joined_findings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "profiler/execution/memory/finding_place.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_named_pairs = 4;

// Instructions between which a barrier would end a race, by their order: behind `begin` and not behind `end`. A race
// with the next round of a loop is ended at the end of the round, wherever that is.
struct Gap {
  std::uint32_t begin = 0, end = 0;
  bool is_next_round = false;

  bool shares_a_barrier_with(const Gap& later) const {
    if (is_next_round != later.is_next_round) return false;
    return later.begin < end && (!is_next_round || begin < later.end);
  }
};

Gap gap_of(const simt::Program& program, const Occurrence& race, std::string_view main_file) {
  return {std::min(race.earlier, race.later), std::max(race.earlier, race.later),
          is_in_next_round(program, race, main_file)};
}

struct Race {
  const ToldFinding* told = nullptr;
  Gap gap;
  std::vector<const ToldFinding*> others;
};

bool is_race(const ToldFinding& told) {
  const FindingKind kind = told.entry->first.kind;
  return kind == FindingKind::write_read_race || kind == FindingKind::read_write_race ||
         kind == FindingKind::write_write_race;
}

// A barrier cannot come between the lanes of one instruction, and a copy that is awaited late has its barrier.
bool is_ended_by_barrier(const ToldFinding& told) {
  return is_race(told) && told.entry->first.earlier != told.entry->first.later &&
         !told.entry->first.is_awaited_late;
}

bool has_same_lines(const Finding& a, const Finding& b) {
  return a.lines.size() == b.lines.size() && std::ranges::is_permutation(a.lines, b.lines);
}

std::string pair_words(const Finding& finding) {
  std::string text;
  for (const std::int64_t line : finding.lines) text += (text.empty() ? "" : " and ") + std::to_string(line);
  return text;
}

// Whether both are about one copy: a thread reads its word before it waits, and another thread behind the barrier that
// comes before the wait. One wait before the barrier repairs both.
bool is_of_one_copy(const ToldFinding& early, const ToldFinding& race) {
  return early.entry->first.kind == FindingKind::early_cp_async_read && race.entry->first.is_awaited_late &&
         has_same_lines(early.finding, race.finding);
}

void add_lines(Finding& finding, const Finding& other) {
  for (const std::int64_t line : other.lines) {
    if (std::ranges::find(finding.lines, line) == finding.lines.end()) finding.lines.push_back(line);
  }
}

// "The same barrier orders 2 more pairs of accesses: lines 12 and 15, 13 and 16". Directions of one pair are one.
Finding finding_of(const Race& race) {
  Finding finding = race.told->finding;
  std::vector<Finding> pairs;
  for (const ToldFinding* other : race.others) {
    finding.occurrences += other->finding.occurrences;
    const auto is_known = [&](const Finding& known) { return has_same_lines(known, other->finding); };
    if (is_known(race.told->finding) || std::ranges::any_of(pairs, is_known)) continue;
    pairs.push_back(other->finding);
    if (pairs.size() <= most_named_pairs) add_lines(finding, other->finding);
  }
  if (pairs.empty()) return finding;
  std::string named;
  for (std::size_t i = 0; i < std::min(pairs.size(), most_named_pairs); ++i) {
    if (!pairs[i].lines.empty()) named += (named.empty() ? ": lines " : ", ") + pair_words(pairs[i]);
  }
  finding.text += ". The same barrier orders " + std::to_string(pairs.size()) + " more pair" +
                  (pairs.size() == 1 ? "" : "s") + " of accesses" + named +
                  (pairs.size() > most_named_pairs ? " ..." : "");
  return finding;
}

// The fewest barriers that end all races: each stands as late as the race allows that ends first. The first direction
// of FindingKind stands for both directions of a pair.
std::vector<Race> races_by_barrier(const simt::Program& program, const std::vector<ToldFinding>& told,
                                   std::string_view main_file) {
  std::vector<Race> all;
  for (const ToldFinding& one : told) {
    if (is_ended_by_barrier(one)) all.push_back({&one, gap_of(program, one.entry->first, main_file), {}});
  }
  std::ranges::stable_sort(all, {},
                           [](const Race& race) { return std::pair(race.gap.is_next_round, race.gap.end); });
  std::vector<Race> races;
  for (Race& race : all) {
    const auto known = std::ranges::find_if(races, [&](const Race& other) {
      return other.gap.shares_a_barrier_with(race.gap) &&
             other.told->entry->crosses_warps == race.told->entry->crosses_warps;
    });
    if (known == races.end()) {
      races.push_back(std::move(race));
    } else {
      known->others.push_back(race.told);
    }
  }
  return races;
}

// Two lines without any barrier race within a round and with the next one: one finding asks for both barriers. A
// function that races wherever it is called is one finding, too.
void add_race(const simt::Program& program, const Race& race, std::string_view main_file,
              std::vector<Finding>& findings) {
  const Finding finding = finding_of(race);
  const auto known = std::ranges::find_if(
      findings, [&](const Finding& other) { return has_same_lines(other, race.told->finding); });
  const FindingPlace place = finding_place(program, race.told->entry->first.earlier, main_file);
  if (known == findings.end() || (!race.gap.is_next_round && place.call.empty())) {
    findings.push_back(finding);
    return;
  }
  known->occurrences += finding.occurrences;
  known->text += race.gap.is_next_round ? ". A second one belongs behind " + place.words +
                                              ", at the end of the round of the loop"
                                        : ". The same two lines race where they are called at " + place.call;
}

}  // namespace

std::vector<Finding> joined_findings(const simt::Program& program, const std::vector<ToldFinding>& told,
                                     std::string_view main_file) {
  std::vector<Finding> findings;
  for (const Race& race : races_by_barrier(program, told, main_file))
    add_race(program, race, main_file, findings);
  for (const ToldFinding& one : told) {
    if (!is_race(one) || is_ended_by_barrier(one)) continue;
    findings.push_back(one.finding);
    // The race's words name the barrier.
    const auto early =
        std::ranges::find_if(told, [&](const ToldFinding& other) { return is_of_one_copy(other, one); });
    if (early != told.end()) findings.back().kind = early->finding.kind;
  }
  const std::size_t races = findings.size();
  for (const ToldFinding& one : told) {
    const auto is_told = [&](const ToldFinding& race) { return is_of_one_copy(one, race); };
    if (is_race(one) || std::ranges::any_of(told, is_told)) continue;
    const auto explains = [&](const Finding& race) {
      if (!is_fault(one.finding)) return has_same_lines(race, one.finding);
      return one.finding.kind == "uninitialised_read" && !one.entry->stays_unwritten &&
             !one.finding.lines.empty() &&
             std::ranges::find(race.lines, one.finding.lines[0]) != race.lines.end();
    };
    if (std::none_of(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(races), explains))
      findings.push_back(one.finding);
  }
  return findings;
}

}  // namespace tilescope
