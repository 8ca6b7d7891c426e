#include "profiler/explanation/model/access_lines.hpp"

#include <algorithm>
#include <bit>

#include "profiler/execution/memory/sectors.hpp"

namespace tilescope::model {
namespace {

constexpr std::uint64_t bytes_of_word = 4;
// Beyond every address of global memory, and as much for each warp.
constexpr std::uint64_t local_memory = std::uint64_t{1} << 63, local_memory_of_warp = std::uint64_t{1} << 40;

// Bits of a line's number whose sums modulo two are the number of its bank.
constexpr std::uint64_t first_bank_bit = 0x5a, second_bank_bit = 0x135;

// By the bits of a line's number that choose its bank.
constexpr std::size_t bank_choices = 512;
constexpr std::array<std::uint8_t, bank_choices> banks = [] {
  std::array<std::uint8_t, bank_choices> chosen{};
  for (std::size_t i = 0; i < bank_choices; ++i)
    chosen[i] = static_cast<std::uint8_t>(std::popcount(i & first_bank_bit) % 2 +
                                          std::popcount(i & second_bank_bit) % 2 * 2);
  return chosen;
}();

}  // namespace

unsigned TouchedLine::sectors() const {
  unsigned touched = 0;
  for (unsigned sector = 0; sector < sectors_of_line; ++sector)
    touched |= (bytes[sector] != 0 ? 1u : 0u) << sector;
  return touched;
}

unsigned TouchedLine::partial_sectors() const {
  return static_cast<unsigned>(std::ranges::count_if(
      bytes, [](std::uint32_t touched) { return touched != 0 && touched != ~std::uint32_t{0}; }));
}

void AccessLines::read(const simt::MemoryAccess& access, unsigned warp) {
  used_ = 0;
  hashes_ = 0;
  const bool is_local = access.space == simt::Space::local;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = access.addresses[lane];
    if (!is_local) {
      add(address, access.lane_bytes);
      continue;
    }
    for (std::uint64_t at = address; at < address + access.lane_bytes;) {
      const std::uint64_t word = at / bytes_of_word,
                          end = std::min((word + 1) * bytes_of_word, address + access.lane_bytes);
      const std::uint64_t place = (word * simt::lane_count + lane) * bytes_of_word + at % bytes_of_word;
      add(local_memory + warp * local_memory_of_warp + place, end - at);
      at = end;
    }
  }
}

unsigned AccessLines::lookups() const {
  std::array<unsigned, 4> of_bank{};
  for (std::size_t at = 0; at < used_; ++at) ++of_bank[banks[lines_[at].number % bank_choices]];
  return std::ranges::max(of_bank);
}

void AccessLines::add(std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t into = address % sector_bytes, here = std::min(bytes, sector_bytes - into);
    const std::uint64_t mask = ((std::uint64_t{1} << here) - 1) << into;
    line(address / bytes_of_line).bytes[address % bytes_of_line / sector_bytes] |=
        static_cast<std::uint32_t>(mask);
    address += here;
    bytes -= here;
  }
}

TouchedLine& AccessLines::line(std::uint64_t number) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  constexpr int bits_of_hash = 6;
  const std::uint64_t hash = std::uint64_t{1} << (number * golden_ratio >> (64 - bits_of_hash));
  // The lanes of most accesses follow each other.
  std::size_t at = (hashes_ & hash) != 0 ? used_ : 0;
  while (at > 0 && lines_[at - 1].number != number) --at;
  if (at > 0) return lines_[at - 1];
  hashes_ |= hash;
  lines_[used_] = {number, {}};
  return lines_[used_++];
}

}  // namespace tilescope::model
