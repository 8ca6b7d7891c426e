#include "profiler/explanation/model/interleaved_l1.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>

#include "profiler/execution/memory/sectors.hpp"

namespace tilescope::model {
namespace {

// A few MB of memory.
constexpr std::size_t most_kept_lines = std::size_t{1} << 19;
// Instructions of a warp until what it loaded is there. Assumed: some 300 cycles, in which a warp that does not wait for
// it executes no more.
constexpr std::uint64_t on_its_way = 24;

}  // namespace

void InterleavedL1::Misses::add(const Misses& other) {
  sectors += other.sectors;
  lines += other.lines;
  waiting += other.waiting;
  waiting_for_dram += other.waiting_for_dram;
  first_sectors += other.first_sectors;
}

void InterleavedL1::Accesses::add(const Accesses& other) {
  in_share.add(other.in_share);
  in_whole.add(other.in_whole);
  repeated_sectors += other.repeated_sectors;
  bytes_between += other.bytes_between;
}

void InterleavedL1::add(std::size_t warp, std::uint64_t time, std::uint32_t instruction, Kind kind,
                        std::span<const TouchedLine> lines) {
  WarpStream& stream = warps_[warp];
  stream.accesses.push_back({time, instruction, static_cast<std::uint32_t>(lines.size()), kind});
  for (const TouchedLine& line : lines)
    stream.lines.push_back(line.number << sectors_of_line | line.sectors());
  kept_ += lines.size();
  if (kept_ > most_kept_lines) replay();
}

void InterleavedL1::replay() {
  using Next = std::tuple<std::uint64_t, std::size_t>;  // time, warp
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<std::size_t> access_at(warps_.size(), 0), line_at(warps_.size(), 0);
  for (std::size_t w = 0; w < warps_.size(); ++w)
    if (!warps_[w].accesses.empty()) next.emplace(warps_[w].accesses.front().time, w);
  while (!next.empty()) {
    const std::size_t w = std::get<1>(next.top());
    next.pop();
    const WarpStream& stream = warps_[w];
    const Access& access = stream.accesses[access_at[w]++];
    take(access, w, std::span(stream.lines).subspan(line_at[w], access.lines));
    line_at[w] += access.lines;
    if (access_at[w] < stream.accesses.size()) next.emplace(stream.accesses[access_at[w]].time, w);
  }
  for (WarpStream& stream : warps_) {
    stream.accesses.clear();
    stream.lines.clear();
  }
  kept_ = 0;
}

void InterleavedL1::take(const Access& access, std::size_t warp, std::span<const std::uint64_t> lines) {
  Accesses& sums = by_instruction_[access.instruction];
  Lookup in_share{share_, sums.in_share}, in_whole{whole_, sums.in_whole};
  for (const std::uint64_t line : lines) {
    const std::uint64_t number = line >> sectors_of_line;
    const auto sectors = static_cast<unsigned>(line & ((1u << sectors_of_line) - 1));
    if (access.kind == Kind::global_store) {
      Accesses ignored;
      move(number, sectors, ignored);
      first_of(number, sectors);  // a load of it is none of the first touches any more
      continue;
    }
    if (access.kind == Kind::local_store) {
      share_.find(number).sectors |= sectors;
      whole_.find(number).sectors |= sectors;
      move(number, sectors, sums);
      continue;
    }
    const unsigned missing = sectors & ~(share_.find(number).sectors & whole_.find(number).sectors);
    const unsigned first = first_of(number, missing);
    if (const unsigned moved = sectors & ~share_.find(number).sectors; moved != 0) move(number, moved, sums);
    load(number, sectors, first, access, warp, in_share);
    load(number, sectors, first, access, warp, in_whole);
  }
  for (const Lookup* lookup : {&in_share, &in_whole}) {
    lookup->misses.waiting += lookup->waits.any ? 1 : 0;
    lookup->misses.waiting_for_dram += lookup->waits.for_dram ? 1 : 0;
  }
}

// The sectors of a line that no block touched before.
unsigned InterleavedL1::first_of(std::uint64_t number, unsigned sectors) {
  unsigned first = 0;
  if (touched_ == nullptr) return first;
  for (unsigned rest = sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(std::countr_zero(rest));
    if (touched_->take_first(number * sectors_of_line + sector, block_)) first |= 1u << sector;
  }
  return first;
}

void InterleavedL1::load(std::uint64_t number, unsigned sectors, unsigned first, const Access& access,
                         std::size_t warp, Lookup& lookup) {
  BlockL1::Line& line = lookup.l1.find(number);
  const std::uint64_t warp_bit = std::uint64_t{1} << warp % 64;
  const unsigned missing = sectors & ~line.sectors;
  for (unsigned rest = sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned bit = 1u << sector;
    if ((missing & bit) != 0) {
      line.from_dram = (line.from_dram & ~bit) | (first & bit);
      line.filled[sector] = access.time;
      line.waited[sector] = 0;
    } else if (access.time >= line.filled[sector] + on_its_way || (line.waited[sector] & warp_bit) != 0) {
      continue;
    }
    line.waited[sector] |= warp_bit;
    lookup.waits.any = true;
    lookup.waits.for_dram |= (line.from_dram & bit) != 0;
  }
  line.sectors |= sectors;
  if (missing == 0) return;
  lookup.misses.sectors += std::popcount(missing);
  lookup.misses.lines += 1;
  lookup.misses.first_sectors += std::popcount(missing & first);
}

// Sectors of a line pass between L1 and L2.
void InterleavedL1::move(std::uint64_t line, unsigned sectors, Accesses& accesses) {
  for (unsigned rest = sectors; rest != 0; rest &= rest - 1) {
    const std::uint64_t sector = line * sectors_of_line + static_cast<unsigned>(std::countr_zero(rest));
    Passed& passed = passed_[sector];
    if (passed.moved >= 0) {
      accesses.repeated_sectors += 1;
      accesses.bytes_between += moved_ - passed.moved;
    }
    passed.moved = moved_;
  }
  moved_ += static_cast<double>(std::popcount(sectors)) * sector_bytes;
}

}  // namespace tilescope::model
