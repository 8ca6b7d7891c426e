#include "profiler/views/access_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "profiler/memory/shared_passes.hpp"
#include "profiler/views/number_lists.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

using ptx::Access;
using ptx::LaneMask;

std::string bytes_of(std::uint64_t bytes) {
  return format_count(static_cast<std::int64_t>(bytes)) + " B";
}

// The distance that all neighbours in a list have, if it is one.
std::optional<std::int64_t> common_step(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const std::int64_t step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return std::nullopt;
  }
  return step;
}

std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  std::set<std::int64_t> seen;
  std::erase_if(values, [&](std::int64_t value) { return !seen.insert(value).second; });
  return values;
}

std::vector<std::int64_t> addresses_of(const MicroscopeView& view, const std::vector<std::int64_t>& lanes) {
  std::vector<std::int64_t> addresses;
  for (const std::int64_t lane : lanes)
    addresses.push_back(static_cast<std::int64_t>(view.lanes[static_cast<std::size_t>(lane)].address));
  return addresses;
}

// "rows 0 to 7, column 0 of K", "bytes 0, 128, 256 ... 896 of shared memory"
std::string places_words(const MicroscopeView& view, const std::vector<std::int64_t>& lanes) {
  const AddressPlace& first = view.lanes[static_cast<std::size_t>(lanes.front())].place;
  std::vector<std::int64_t> rows, columns, offsets, bytes = addresses_of(view, lanes);
  bool same_tile = true;
  for (const std::int64_t lane : lanes) {
    const AddressPlace& place = view.lanes[static_cast<std::size_t>(lane)].place;
    same_tile = same_tile && place.tile == first.tile;
    offsets.push_back(place.offset);
    if (!place.element) continue;
    rows.push_back(place.element->row);
    columns.push_back(place.element->column);
  }
  if (!same_tile || first.tile.empty()) return counted_list("byte", distinct(bytes)) + " of shared memory";
  if (rows.size() < lanes.size()) return counted_list("byte", distinct(offsets)) + " of " + first.tile;
  rows = distinct(rows);
  columns = distinct(columns);
  const bool both_vary = rows.size() > 1 && columns.size() > 1;
  return counted_list("row", rows) + (both_vary ? " and " : ", ") + counted_list("column", columns) + " of " +
         first.tile;
}

// The words of one bank, each with other lanes.
struct Stack {
  std::size_t pass = 0;
  std::vector<BankWord> words;
  // Neighbouring banks in which the same lanes meet.
  std::uint32_t first_bank = 0, last_bank = 0;

  // The lowest lane of each word.
  std::vector<std::int64_t> lanes() const {
    std::vector<std::int64_t> lanes;
    for (const BankWord& word : words) lanes.push_back(std::countr_zero(word.lanes));
    return lanes;
  }
  bool has_single_lanes() const {
    return std::ranges::all_of(words, [](const BankWord& word) { return std::popcount(word.lanes) == 1; });
  }
  std::set<std::uint64_t> distinct_words() const {
    std::set<std::uint64_t> distinct;
    for (const BankWord& word : words) distinct.insert(word.word);
    return distinct;
  }
  std::string banks() const {
    std::vector<std::int64_t> banks(last_bank - first_bank + 1);
    std::iota(banks.begin(), banks.end(), first_bank);
    return counted_list("bank", banks);
  }
};

std::vector<BankWord> words_in(const AccessPass& pass, std::uint32_t bank) {
  std::vector<BankWord> words;
  std::ranges::copy_if(pass.words, std::back_inserter(words),
                       [&](const BankWord& word) { return word.bank == bank; });
  return words;
}

bool have_same_lanes(const std::vector<BankWord>& a, const std::vector<BankWord>& b) {
  return std::ranges::equal(a, b, {}, &BankWord::lanes, &BankWord::lanes);
}

// The first of the highest stacks of the worst pass.
Stack worst_stack(const MicroscopeView& view) {
  Stack stack;
  stack.pass = view.worst_pass();
  const AccessPass& pass = view.shared.passes[stack.pass];
  for (std::uint32_t bank = 0; bank < bank_count; ++bank) {
    std::vector<BankWord> words = words_in(pass, bank);
    if (words.size() > stack.words.size()) {
      stack.words = std::move(words);
      stack.first_bank = bank;
    }
  }
  stack.last_bank = stack.first_bank;
  while (stack.last_bank + 1 < bank_count &&
         have_same_lanes(words_in(pass, stack.last_bank + 1), stack.words))
    ++stack.last_bank;
  return stack;
}

std::size_t banks_used(const AccessPass& pass) {
  std::set<std::uint32_t> banks;
  for (const BankWord& word : pass.words) banks.insert(word.bank);
  return banks.size();
}

std::string pass_words(const MicroscopeView& view, std::size_t pass) {
  return view.shared.passes.size() == 1 ? "the warp" : "pass " + std::to_string(pass + 1);
}

// "128 B apart, which is a whole turn of the 32 banks": words of one bank are always whole turns apart.
std::string distance_words(std::vector<BankWord> words) {
  std::vector<std::int64_t> bytes;
  for (const BankWord& word : words) bytes.push_back(static_cast<std::int64_t>(word.word * bank_bytes));
  const auto step = common_step(bytes);
  if (!step) return "whole turns of the 32 banks apart, a multiple of 128 B";
  const auto turns = std::abs(*step) / static_cast<std::int64_t>(line_bytes);
  return format_count(std::abs(*step)) + " B apart, which is " +
         (turns == 1 ? "a whole turn" : format_count(turns) + " whole turns") + " of the 32 banks";
}

// Rows of a tile without a permutation: how often a row begins in the same bank.
std::string row_cause(const MicroscopeView& view, const std::vector<std::int64_t>& lanes) {
  const AddressPlace& first = view.lanes[static_cast<std::size_t>(lanes.front())].place;
  if (!first.element || first.row_bytes <= 0) return "";
  bool differ = false;
  for (const std::int64_t lane : lanes) {
    const AddressPlace& place = view.lanes[static_cast<std::size_t>(lane)].place;
    if (!place.element || place.tile != first.tile || place.element->column != first.element->column)
      return "";
    const std::int64_t rows = place.element->row - first.element->row;
    if (place.offset - first.offset != rows * first.row_bytes) return "";
    differ = differ || rows != 0;
  }
  if (!differ) return "";
  const auto turn = static_cast<std::int64_t>(line_bytes);
  const std::int64_t period = turn / std::gcd(turn, first.row_bytes);
  const std::string begins = period == 1   ? "every row begins"
                             : period == 2 ? "every second row begins"
                                           : fmt::format("every {}th row begins", period);
  return fmt::format(" A row of {} takes {}, so that {} in the same bank.", first.tile,
                     bytes_of(static_cast<std::uint64_t>(first.row_bytes)), begins);
}

// What the addresses of a pass have in common, where no row explains it.
std::string stride_cause(const MicroscopeView& view, const AccessPass& pass) {
  const std::vector<std::int64_t> lanes = lanes_in(pass.lanes);
  const auto step = common_step(addresses_of(view, lanes));
  const std::string used = fmt::format("{} of the 32 banks", banks_used(pass));
  const bool are_neighbours = common_step(lanes) == 1;
  if (step && *step != 0 && are_neighbours)
    return fmt::format(" Neighbouring lanes are {} apart and use {}.",
                       bytes_of(static_cast<std::uint64_t>(std::abs(*step))), used);
  std::set<std::uint64_t> words;
  for (const BankWord& word : pass.words) words.insert(word.word);
  return fmt::format(" The {} words of this pass lie in {}.", words.size(), used);
}

std::string conflict_reason(const MicroscopeView& view) {
  const Stack stack = worst_stack(view);
  const AccessPass& pass = view.shared.passes[stack.pass];
  const std::vector<std::int64_t> lanes = stack.lanes();
  const std::string where = pass_words(view, stack.pass);
  const auto count = static_cast<std::int64_t>(stack.words.size());
  std::string text;
  if (stack.has_single_lanes()) {
    text = fmt::format("{} of {} need different words of {}: {} {} {}, ", counted(count, "lane"), where,
                       stack.banks(), counted_list("lane", lanes), verb_of(view.site.access),
                       places_words(view, lanes));
  } else {
    text = fmt::format("{} needs {} different words of {}: {}, and those that share their words, {} {}, ",
                       capitalised(where), count, stack.banks(), counted_list("lane", lanes),
                       verb_of(view.site.access), places_words(view, lanes));
  }
  text += distance_words(stack.words) + ".";
  const std::string rows = row_cause(view, lanes);
  return text + (rows.empty() ? stride_cause(view, pass) : rows);
}

std::string atomic_reason(const MicroscopeView& view) {
  const Stack stack = worst_stack(view);
  const std::size_t words = stack.distinct_words().size();
  const auto count = static_cast<std::int64_t>(stack.words.size());
  if (words == stack.words.size()) return conflict_reason(view);
  return fmt::format("{} of {} update {} of {}: {}. Atomics on one word follow each other, a wavefront each.",
                     counted(count, "lane"), pass_words(view, stack.pass),
                     words == 1 ? "the same word" : fmt::format("{} words", words), stack.banks(),
                     counted_list("lane", stack.lanes()));
}

// Why the lanes of one source line take several wavefronts.
std::string past_l1_reason(const MicroscopeView& view) {
  const std::size_t worst = view.worst_pass();
  const AccessPass& pass = view.shared.passes[worst];
  const auto lines = static_cast<std::int64_t>(view.shared.passes.size());
  if (pass.wavefronts <= 1)
    return fmt::format("The lanes copy from {} of 128 B, each in one wavefront.",
                       counted(lines, "source line"));
  std::set<std::uint64_t> turns;
  for (const BankWord& word : pass.words) turns.insert(word.word / bank_count);
  bool is_shifted = false;
  for (const std::int64_t lane : lanes_in(pass.lanes)) {
    const LaneView& shown = view.lanes[static_cast<std::size_t>(lane)];
    is_shifted = is_shifted || (shown.address / 16 + *shown.source / 16) % 2 != 0;
  }
  std::string text = fmt::format("The {} that read source line {} write into {} of the banks",
                                 counted(std::popcount(pass.lanes), "lane"), worst + 1,
                                 counted(static_cast<std::int64_t>(turns.size()), "turn"));
  if (is_shifted) text += " and move by 16 B against the source, which cuts sectors of 32 B in two";
  return text + fmt::format(": {} wavefronts.", pass.wavefronts);
}

std::string idle_words(const MicroscopeView& view) {
  LaneMask idle = 0;
  for (std::size_t lane = 0; lane < view.lanes.size(); ++lane) {
    if (view.lanes[lane].role == LaneRole::idle) idle |= LaneMask{1} << lane;
  }
  if (idle == 0) return "";
  return " " + capitalised(lane_list(idle)) + (std::popcount(idle) == 1 ? " is idle." : " are idle.");
}

std::string free_reason(const MicroscopeView& view) {
  const std::vector<AccessPass>& passes = view.shared.passes;
  const AccessPass& first = passes.front();
  LaneMask sharing = 0;
  for (const AccessPass& pass : passes) sharing |= pass.sharing;
  std::string text;
  const bool one_word = passes.size() == 1 && first.words.size() == 1;
  if (one_word && std::popcount(first.lanes) > 1) {
    text = fmt::format("All {} {} one word, which moves once for all of them.",
                       counted(std::popcount(first.lanes), "active lane"), verb_of(view.site.access));
  } else {
    const std::vector<std::int64_t> lanes = lanes_in(first.lanes);
    text = fmt::format("{} needs at most one word of each bank: {} {} {}, in {}.",
                       passes.size() == 1 ? "The warp" : "Each pass", counted_list("lane", lanes),
                       verb_of(view.site.access), places_words(view, lanes),
                       counted(static_cast<std::int64_t>(banks_used(first)), "bank"));
    if (sharing != 0) text += " Lanes that share a word get it in the same wavefront.";
  }
  if (view.shared.are_merged)
    text += " Neighbouring lanes have the same address, so that two passes become one.";
  return text;
}

std::string scattered_cause(const MicroscopeView& view, std::uint64_t used_bytes) {
  LaneMask active = 0;
  for (std::size_t lane = 0; lane < view.lanes.size(); ++lane) {
    if (view.lanes[lane].role != LaneRole::idle) active |= LaneMask{1} << lane;
  }
  const std::vector<std::int64_t> lanes = lanes_in(active);
  std::vector<std::int64_t> addresses = addresses_of(view, lanes);
  const std::int64_t step = common_step(lanes) == 1 ? common_step(addresses).value_or(0) : 0;
  std::ranges::sort(addresses);
  const auto width = static_cast<std::int64_t>(view.site.width_bytes);
  const std::int64_t span = addresses.back() + width - addresses.front();
  const std::int64_t into = addresses.front() % static_cast<std::int64_t>(sector_bytes);
  if (span == static_cast<std::int64_t>(used_bytes) && into != 0)
    return fmt::format("the first one begins {} B into a sector", into);
  if (std::abs(step) > width)
    return fmt::format("neighbouring lanes are {} apart",
                       bytes_of(static_cast<std::uint64_t>(std::abs(step))));
  std::set<std::uint64_t> lines;
  for (const UsedSector& sector : view.global.sectors) lines.insert(sector.address / line_bytes);
  return fmt::format("the addresses lie in {} of 128 B",
                     counted(static_cast<std::int64_t>(lines.size()), "line"));
}

std::string global_reason(const MicroscopeView& view) {
  std::uint64_t used = 0;
  for (const UsedSector& sector : view.global.sectors)
    used += static_cast<std::uint64_t>(std::popcount(sector.bytes));
  const std::uint64_t moved = view.cost * sector_bytes;
  if (!view.has_excess) {
    return used == moved ? fmt::format("Every byte of the {} is used.", counted(view.cost, "sector"))
                         : fmt::format("{} of the {} moved are used; fewer sectors could not hold them.",
                                       bytes_of(used), bytes_of(moved));
  }
  return fmt::format("{} of the {} moved are used. They would fit into {} but lie in {}: {}.", bytes_of(used),
                     bytes_of(moved), counted(view.minimum, "sector"), view.cost,
                     scattered_cause(view, used));
}

}  // namespace

std::string verb_of(Access access) {
  switch (access) {
    case Access::load:
    case Access::matrix_load:
    case Access::async_copy_read:
      return "read";
    case Access::atomic:
      return "update";
    default:
      return "write";
  }
}

std::string reason_of(const MicroscopeView& view) {
  const auto kind = [&] {
    if (!view.site.is_shared) return global_reason(view);
    if (view.shared.is_past_l1) return past_l1_reason(view);
    if (view.shared.cost.degree <= 1) return free_reason(view);
    return is_serialised(view.site.access) ? atomic_reason(view) : conflict_reason(view);
  };
  return kind() + idle_words(view);
}

std::string rule_of(const MicroscopeView& view) {
  if (!view.site.is_shared)
    return "A request moves sectors of 32 B; four of them are a line of 128 B. The minimum is the sectors "
           "that could "
           "hold the bytes that the lanes use.";
  if (view.shared.is_past_l1)
    return "A cp.async past L1 takes wavefronts by the lines of 128 B that it reads: one moves 32-byte "
           "sectors of one "
           "line into one turn of the banks, unchanged, rotated or mirrored. Inferred from measurements on "
           "an H200.";
  const Access access = view.site.access;
  if (access == Access::matrix_load || access == Access::matrix_store)
    return "Each 8x8 matrix is a pass: 8 lanes give the addresses of its rows of 16 B.";
  const auto width = static_cast<int>(view.site.width_bytes);
  const int lanes = lanes_for_width(access, width);
  std::string text = lanes == ptx::lane_count ? "Up to 4 B per lane are one pass of the whole warp."
                                              : fmt::format("{} B per lane are {} passes of {} lanes.", width,
                                                            ptx::lane_count / lanes, lanes);
  if (view.shared.are_merged) text += " Loads merge two passes where neighbouring lanes have one address.";
  if (is_serialised(access)) text += " Every lane of an atomic takes a wavefront of its word's bank.";
  return text + " A pass takes as many wavefronts as the most different words that it needs of one bank.";
}

}  // namespace tilescope
