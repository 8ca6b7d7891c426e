#include "profiler/views/memory/conflict_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "base/text/format.hpp"
#include "profiler/execution/memory/shared_passes.hpp"
#include "profiler/views/memory/access_reason.hpp"
#include "profiler/views/memory/lane_words.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

// The words of one bank, each with other lanes.
struct Stack {
  std::size_t pass = 0;
  std::vector<BankWord> words;
  // Neighbouring banks in which the same lanes meet.
  std::uint32_t first_bank = 0, last_bank = 0;

  // The lowest lane of each word.
  std::vector<std::int64_t> lanes() const {
    std::vector<std::int64_t> lanes;
    lanes.reserve(words.size());
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

// The first of the highest stacks of the pass.
Stack worst_stack(const MicroscopeView& view, std::size_t of_pass) {
  Stack stack;
  stack.pass = of_pass;
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

std::string pass_words(const MicroscopeView& view, std::size_t pass) {
  return view.shared.passes.size() == 1 ? "the warp" : "pass " + std::to_string(pass + 1);
}

// "128 B apart, which is a whole turn of the 32 banks": words of one bank are always whole turns apart.
std::string distance_words(std::vector<BankWord> words) {
  std::vector<std::int64_t> bytes;
  bytes.reserve(words.size());
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
  const std::string begins = period == 1    ? "every row begins"
                             : period == 2  ? "every second row begins"
                             : period == 32 ? "every 32nd row begins"
                                            : fmt::format("every {}th row begins", period);
  return fmt::format(" A row of {} takes {}, so that {} in the same bank.", first.tile,
                     bytes_words(static_cast<std::uint64_t>(first.row_bytes)), begins);
}

// Stride common to the addresses of a pass that no row explains.
std::string stride_cause(const MicroscopeView& view, const AccessPass& pass) {
  const std::vector<std::int64_t> lanes = lanes_in(pass.lanes);
  const auto step = common_step(lane_addresses(view, lanes));
  const std::string used = fmt::format("{} of the 32 banks", banks_used(pass));
  const bool are_neighbours = common_step(lanes) == 1;
  if (step && *step != 0 && are_neighbours)
    return fmt::format(" Neighbouring lanes are {} apart and use {}.",
                       bytes_words(static_cast<std::uint64_t>(std::abs(*step))), used);
  std::set<std::uint64_t> words;
  for (const BankWord& word : pass.words) words.insert(word.word);
  return fmt::format(" The {} words of this pass lie in {}.", words.size(), used);
}

}  // namespace

std::size_t banks_used(const AccessPass& pass) {
  std::set<std::uint32_t> banks;
  for (const BankWord& word : pass.words) banks.insert(word.bank);
  return banks.size();
}

std::string conflict_reason(const MicroscopeView& view, std::size_t of_pass) {
  const Stack stack = worst_stack(view, of_pass);
  const AccessPass& pass = view.shared.passes[stack.pass];
  const std::vector<std::int64_t> lanes = stack.lanes();
  const std::string where = pass_words(view, stack.pass);
  const auto count = static_cast<std::int64_t>(stack.words.size());
  std::string text;
  if (stack.has_single_lanes()) {
    text = fmt::format("{} of {} need different words of {}: {} {} {}, ", counted_noun(count, "lane"), where,
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

std::string atomic_reason(const MicroscopeView& view, std::size_t of_pass) {
  const Stack stack = worst_stack(view, of_pass);
  const std::size_t words = stack.distinct_words().size();
  const auto count = static_cast<std::int64_t>(stack.words.size());
  if (words == stack.words.size()) return conflict_reason(view, of_pass);
  return fmt::format("{} of {} update {} of {}: {}. Atomics on one word follow each other, a wavefront each.",
                     counted_noun(count, "lane"), pass_words(view, stack.pass),
                     words == 1 ? "the same word" : fmt::format("{} words", words), stack.banks(),
                     counted_list("lane", stack.lanes()));
}

}  // namespace tilescope
