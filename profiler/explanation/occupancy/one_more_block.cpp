#include "profiler/explanation/occupancy/one_more_block.hpp"

#include <optional>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// The search for more blocks than the SM holds now.
class Search {
 public:
  Search(const DeviceModel& device, const BlockNeeds& needs)
      : device_(device), needs_(needs), blocks_(occupancy_of(device, needs).blocks_per_sm) {}

  /// The largest smaller amount of one quantity with which more blocks of `needs` fit.
  std::optional<std::int64_t> largest_enough(BlockQuantity quantity, const BlockNeeds& needs) const {
    const std::int64_t least = smallest_amount(quantity);
    const std::int64_t most = needs_.amount(quantity) - 1;
    if (most < least) return std::nullopt;
    if (quantity == BlockQuantity::shared_memory) return bisect(quantity, needs, least, most);
    for (std::int64_t amount = most; amount >= least; --amount) {
      if (is_enough(needs.with(quantity, amount))) return amount;
    }
    return std::nullopt;
  }

  BlockSaving saving(const std::vector<BlockChange>& changes) const {
    BlockNeeds changed = needs_;
    for (const BlockChange& change : changes) changed = changed.with(change.quantity, change.to);
    return {changes, occupancy_of(device_, changed)};
  }

  bool is_enough(const BlockNeeds& needs) const {
    return occupancy_of(device_, needs).blocks_per_sm > blocks_;
  }

 private:
  /// Less shared memory never lets fewer blocks in.
  std::optional<std::int64_t> bisect(BlockQuantity quantity, const BlockNeeds& needs, std::int64_t least,
                                     std::int64_t most) const {
    if (!is_enough(needs.with(quantity, least))) return std::nullopt;
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      if (is_enough(needs.with(quantity, middle))) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

  const DeviceModel& device_;
  const BlockNeeds& needs_;
  std::int64_t blocks_;
};

std::string refusal(const DeviceModel& device, const BlockNeeds& needs, BlockQuantity quantity) {
  const Occupancy rest = occupancy_with(device, needs, quantity, smallest_amount(quantity));
  std::string less = quantity == BlockQuantity::shared_memory
                         ? "Less " + to_words(quantity) + " alone does not help: "
                         : "Fewer " + to_words(quantity) + " alone do not help: ";
  if (is_full(rest)) return less + "the SM is full of warps.";
  const std::string blocks = count_blocks(rest.blocks_per_sm) + " per SM";
  switch (rest.limiter) {
    case Limiter::registers:
      return less + "registers limit residency to " + blocks + ".";
    case Limiter::shared_memory:
      return less + "shared memory limits residency to " + blocks + ".";
    case Limiter::warps:
      return less + "another block exceeds the SM's " + format_count(device.max_warps_per_sm) + " warps.";
    case Limiter::blocks:
      return less + "the SM holds at most " + blocks + ".";
  }
  return less;
}

void add_both(const Search& search, const BlockNeeds& needs, OneMoreBlock& next) {
  const BlockNeeds no_shared = needs.with(BlockQuantity::shared_memory, 0);
  const BlockNeeds one_register =
      needs.with(BlockQuantity::registers, smallest_amount(BlockQuantity::registers));
  const auto registers = search.largest_enough(BlockQuantity::registers, no_shared);
  const auto shared = search.largest_enough(BlockQuantity::shared_memory, one_register);
  if (!registers || !shared) return;
  BlockSaving both =
      search.saving({{BlockQuantity::registers, needs.amount(BlockQuantity::registers), *registers},
                     {BlockQuantity::shared_memory, needs.amount(BlockQuantity::shared_memory), *shared}});
  if (both.occupancy.blocks_per_sm > next.now.blocks_per_sm) next.savings.push_back(std::move(both));
}

std::string saved_words(const BlockChange& change) {
  const std::string amount = format_count(change.from - change.to);
  return change.quantity == BlockQuantity::shared_memory ? amount + " B" : amount;
}

std::string exact_words(BlockQuantity quantity, std::int64_t amount) {
  return format_count(amount) + (quantity == BlockQuantity::shared_memory ? " B" : "");
}

std::string save_clause(const BlockChange& change) {
  const bool is_shared = change.quantity == BlockQuantity::shared_memory;
  return format_count(change.from - change.to) + (is_shared ? " B of " : " ") + to_words(change.quantity) +
         " (" + format_count(change.from) + " to " + format_count(change.to) + ")";
}

void set_residency(SavingRow& row, const Occupancy& occupancy) {
  row.blocks = format_count(occupancy.blocks_per_sm);
  row.warps = format_count(occupancy.warps_per_sm);
  row.occupancy = format_percent(occupancy.fraction);
}

std::string joined(const std::string& a, const char* between, const std::string& b) {
  return a.empty() ? b : a + between + b;
}

}  // namespace

OneMoreBlock one_more_block(const DeviceModel& device, const BlockNeeds& needs) {
  OneMoreBlock next;
  next.now = occupancy_of(device, needs);
  if (next.now.blocks_per_sm >= device.max_blocks_per_sm) {
    next.impossible = "No: an SM of " + device.name + " holds at most " +
                      count_blocks(device.max_blocks_per_sm) + ", whatever they need.";
    return next;
  }
  const Search search(device, needs);
  for (const BlockQuantity quantity : block_quantities) {
    if (quantity == BlockQuantity::threads && next.savings.empty()) add_both(search, needs, next);
    const auto to = search.largest_enough(quantity, needs);
    if (to) {
      next.savings.push_back(search.saving({{quantity, needs.amount(quantity), *to}}));
    } else {
      next.refusals.push_back(refusal(device, needs, quantity));
    }
  }
  if (next.savings.empty()) {
    next.impossible = "No: no smaller amount of registers, shared memory or threads lets another block in.";
    next.refusals.clear();
  }
  return next;
}

std::vector<SavingRow> saving_rows(const OneMoreBlock& next) {
  std::vector<SavingRow> rows(1);
  rows.front().what = "as it is";
  set_residency(rows.front(), next.now);
  for (const BlockSaving& saving : next.savings) {
    SavingRow row;
    for (const BlockChange& change : saving.changes) {
      row.what = joined(row.what, " and ", to_words(change.quantity));
      row.from = joined(row.from, "; ", exact_words(change.quantity, change.from));
      row.to = joined(row.to, "; ", exact_words(change.quantity, change.to));
      row.save = joined(row.save, "; ", saved_words(change));
    }
    set_residency(row, saving.occupancy);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string one_more_sentence(const OneMoreBlock& next) {
  if (!next.impossible.empty()) return "One more block per SM? " + next.impossible;
  std::string ways;
  for (const BlockSaving& saving : next.savings) {
    std::string way;
    for (const BlockChange& change : saving.changes) {
      if (change.quantity != BlockQuantity::threads) way = joined(way, " and ", save_clause(change));
    }
    if (!way.empty()) ways = joined(ways, ", or ", way);
  }
  if (!ways.empty()) return "One more block per SM: save " + ways + ".";
  if (is_full(next.now)) return "The SM is full of warps: only smaller blocks let another one in.";
  return "One more block per SM: only fewer threads per block let one in.";
}

std::string one_more_csv(const OneMoreBlock& next) {
  CsvText csv;
  csv.add({"change", "from", "to", "blocks per SM", "warps per SM", "occupancy [%]", "occupancy now [%]",
           "remark"});
  const std::string now = csv_number(next.now.fraction * 100);
  for (const BlockSaving& saving : next.savings) {
    for (const BlockChange& change : saving.changes) {
      csv.add({to_words(change.quantity), std::to_string(change.from), std::to_string(change.to),
               std::to_string(saving.occupancy.blocks_per_sm), std::to_string(saving.occupancy.warps_per_sm),
               csv_number(saving.occupancy.fraction * 100), now,
               saving.changes.size() > 1 ? "together with the other" : ""});
    }
  }
  for (const std::string& refusal : next.refusals) csv.add({"", "", "", "", "", "", now, refusal});
  if (!next.impossible.empty()) csv.add({"", "", "", "", "", "", now, next.impossible});
  return csv.text();
}

}  // namespace tilescope
