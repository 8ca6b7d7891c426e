#include <algorithm>
#include <tuple>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/finding_place.hpp"
#include "profiler/execution/memory/joined_findings.hpp"

namespace tilescope {
namespace {

using Entry = FindingLog::Entry;

const char* kind_name(simt::FaultKind kind) {
  switch (kind) {
    case simt::FaultKind::out_of_bounds:
      return "out_of_bounds";
    case simt::FaultKind::misaligned:
      return "misaligned";
    case simt::FaultKind::read_only:
      return "read_only";
    case simt::FaultKind::deadlock:
      return "deadlock";
    case simt::FaultKind::divergent_barrier:
      return "divergent_barrier";
    case simt::FaultKind::livelock:
      return "livelock";
    case simt::FaultKind::instruction_budget:
      return "instruction_budget";
    case simt::FaultKind::stack_overflow:
      return "stack_overflow";
    case simt::FaultKind::trap:
      return "trap";
  }
  return "trap";
}

const char* kind_name(const Entry& entry) {
  switch (entry.first.kind) {
    case FindingKind::write_read_race:
    case FindingKind::read_write_race:
    case FindingKind::write_write_race:
      return "race";
    case FindingKind::same_value_store:
      return "same_value_store";
    case FindingKind::uninitialised_read:
      return "uninitialised_read";
    case FindingKind::early_cp_async_read:
      return "early_cp_async_read";
    case FindingKind::divergent_barrier:
      return "divergent_barrier";
    case FindingKind::fault:
      return kind_name(entry.fault);
  }
  return "race";
}

// Writes the sentences for the findings of one program.
class Teller {
 public:
  Teller(const simt::Program& program, const TileMap& tiles, std::string_view main_file)
      : program_(program), tiles_(tiles), main_file_(main_file) {}

  Finding tell(const Entry& entry) const {
    const Occurrence& first = entry.first;
    Finding finding;
    finding.kind = kind_name(entry);
    finding.block = {entry.block_index[0], entry.block_index[1], entry.block_index[2]};
    finding.occurrences = static_cast<std::int64_t>(entry.occurrences);
    finding.text = sentence(entry);
    for (const std::uint32_t origin : {first.earlier, first.later}) add_line(finding, origin);
    if (first.earlier != simt::no_index) finding.threads.push_back(first.earlier_thread);
    if (finding.threads.empty() || finding.threads[0] != first.later_thread)
      finding.threads.push_back(first.later_thread);
    if (has_address(entry)) finding.addresses.push_back(static_cast<std::int64_t>(first.address));
    return finding;
  }

 private:
  void add_line(Finding& finding, std::uint32_t origin) const {
    const FindingPlace place = finding_place(program_, origin, main_file_);
    if (place.line == 0) return;
    if (std::ranges::find(finding.lines, place.line) == finding.lines.end())
      finding.lines.push_back(place.line);
  }

  static bool has_address(const Entry& entry) {
    if (entry.first.kind == FindingKind::divergent_barrier) return false;
    return entry.first.kind != FindingKind::fault || entry.fault == simt::FaultKind::out_of_bounds ||
           entry.fault == simt::FaultKind::misaligned || entry.fault == simt::FaultKind::read_only;
  }

  std::string place(std::uint32_t origin) const { return finding_place(program_, origin, main_file_).words; }

  // "shared byte 1024 (64 B into K)"
  std::string where(std::uint64_t address) const {
    const TileMap::Range tile = tiles_.find(simt::Space::shared, address);
    std::string text = "byte " + std::to_string(address) + " of shared memory";
    if (tile.name != 0)
      text += " (" + tiles_.name(tile.name) + " + " + std::to_string(address - tile.begin) + ")";
    return text;
  }

  std::string race(const Entry& entry, const char* first_does, const char* second_does) const {
    const Occurrence& pair = entry.first;
    if (pair.is_awaited_late) return awaited_late(pair);
    const bool is_next_round = is_in_next_round(program_, pair, main_file_);
    const std::string text = "thread " + std::to_string(pair.earlier_thread) + " " + first_does + " " +
                             where(pair.address) + " at " + place(pair.earlier) + " and thread " +
                             std::to_string(pair.later_thread) + " " + second_does + " it at " +
                             place(pair.later);
    const std::string barrier = entry.crosses_warps ? "__syncthreads()" : "__syncwarp()";
    if (pair.earlier == pair.later) {
      return text + " in the same line: give each thread its own address, or put " + barrier +
             " between its executions";
    }
    if (!is_next_round)
      return text + ", without synchronisation between them: put " + barrier + " between them";
    const std::vector<std::string> between = barriers_between(program_, pair.later, pair.earlier, main_file_);
    std::string reason = ", in the next round of a loop, without synchronisation between them";
    if (!between.empty()) {
      reason += ": the barrier at " + between.back() +
                " lies between the two lines, but not on the way from " + place(pair.earlier) +
                " of one round to " + place(pair.later) + " of the next";
    }
    return text + reason + ". Put " + barrier + " behind " + place(pair.earlier) +
           ", at the end of the round";
  }

  std::string awaited_late(const Occurrence& pair) const {
    const std::vector<std::string> between = barriers_between(program_, pair.earlier, pair.later, main_file_);
    const std::string barrier = between.empty() ? "" : " at " + between.front();
    return "the cp.async of thread " + std::to_string(pair.earlier_thread) + " at " + place(pair.earlier) +
           " writes " + where(pair.address) + " and thread " + std::to_string(pair.later_thread) +
           " reads it at " + place(pair.later) + ": the barrier" + barrier +
           " does not order them, since the thread that issued the copy waits for it only behind that "
           "barrier. Put "
           "cp.async.wait_group (or cp.async.wait_all) before the barrier" +
           barrier;
  }

  std::string early_read(const Occurrence& pair) const {
    const bool is_own = pair.earlier_thread == pair.later_thread;
    std::string text = "thread " + std::to_string(pair.later_thread) + " reads " + where(pair.address) +
                       " at " + place(pair.later) + " while the cp.async of thread " +
                       std::to_string(pair.earlier_thread) + " at " + place(pair.earlier) +
                       " may still write it: wait for the copy's group (cp.async.wait_group) before";
    if (is_own) return text;
    const std::vector<std::string> between = barriers_between(program_, pair.earlier, pair.later, main_file_);
    return text + (between.empty() ? ", and put __syncthreads() between the wait and the read"
                                   : " the barrier at " + between.back());
  }

  std::string same_value(const Entry& entry) const {
    const Occurrence& first = entry.first;
    return "thread " + std::to_string(first.earlier_thread) + " stores to " + where(first.address) + " at " +
           place(first.earlier) + " and thread " + std::to_string(first.later_thread) +
           " stores the same value there" +
           (first.earlier == first.later ? "" : " at " + place(first.later)) +
           ", without synchronisation between them: the order does not change the result";
  }

  std::string sentence(const Entry& entry) const {
    const Occurrence& first = entry.first;
    const std::string thread = "thread " + std::to_string(first.later_thread);
    switch (first.kind) {
      case FindingKind::write_read_race:
        return race(entry, "writes", "reads");
      case FindingKind::read_write_race:
        return race(entry, "reads", "writes");
      case FindingKind::write_write_race:
        return race(entry, "writes", "writes");
      case FindingKind::same_value_store:
        return same_value(entry);
      case FindingKind::uninitialised_read:
        return thread + " reads " + where(first.address) + " at " + place(first.later) +
               ", which no thread of the block has written: write it first, or do not read it";
      case FindingKind::early_cp_async_read:
        return early_read(first);
      case FindingKind::divergent_barrier:
        return "the warp of " + thread + " reaches the barrier at " + place(first.later) +
               " with some of its threads elsewhere: all threads of a warp must reach a __syncthreads() "
               "together, or have returned. Where the compiler joined an early return with the end of the "
               "kernel, its threads have not returned";
      case FindingKind::fault:
        return entry.text;
    }
    return entry.text;
  }

  const simt::Program& program_;
  const TileMap& tiles_;
  std::string_view main_file_;
};

}  // namespace

std::vector<Finding> fold_findings(const simt::Program& program, std::span<const FindingLog* const> logs,
                                   const TileMap& tiles, std::string_view main_file) {
  std::map<FindingLog::Key, Entry> merged;
  for (const FindingLog* log : logs) {
    for (const auto& [key, entry] : log->entries()) {
      const auto [found, is_new] = merged.try_emplace(key, entry);
      if (is_new) continue;
      const std::uint64_t occurrences = found->second.occurrences + entry.occurrences;
      const bool crosses_warps = found->second.crosses_warps || entry.crosses_warps;
      if (entry.block < found->second.block) found->second = entry;
      found->second.occurrences = occurrences;
      found->second.crosses_warps = crosses_warps;
    }
  }
  const Teller teller(program, tiles, main_file);
  std::vector<ToldFinding> told;
  told.reserve(merged.size());
  for (const auto& [key, entry] : merged) told.push_back({&entry, teller.tell(entry)});
  std::vector<Finding> findings = joined_findings(program, told, main_file);
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    return std::tie(a.kind, a.lines) < std::tie(b.kind, b.lines);
  });
  return findings;
}

Finding finding_of(const simt::Program& program, const simt::Fault& fault, std::string_view main_file) {
  Entry entry;
  entry.first = {FindingKind::fault, simt::no_index, fault.origin, 0, fault.thread, fault.address, 0};
  entry.block_index = fault.block;
  entry.fault = fault.kind;
  entry.text = fault.text;
  entry.occurrences = 1;
  const TileMap no_tiles(program, {}, {});
  return Teller(program, no_tiles, main_file).tell(entry);
}

}  // namespace tilescope
