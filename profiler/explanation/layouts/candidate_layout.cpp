#include "profiler/explanation/layouts/candidate_layout.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

constexpr std::int64_t bank_bytes = 4;
constexpr std::int64_t turn_bytes = 128;  // through the banks
constexpr int most_bits = 5;
// Swizzles that move whole turns change no bank: one base stands for all such bases.
constexpr int highest_base = 7;

int log2_of(std::int64_t power) {
  return std::countr_zero(static_cast<std::uint64_t>(power));
}

bool is_power_of_two(std::int64_t number) {
  return std::has_single_bit(static_cast<std::uint64_t>(number));
}

// Bits of an offset in a tile.
int offset_bits(std::int64_t bytes) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1) - 1)));
}

}  // namespace

CandidateList::CandidateList(const TileShape& tile, std::int64_t widest_access)
    : tile_(tile), piece_(std::max({widest_access, tile.element_bytes, bank_bytes})) {}

std::vector<CandidateLayout> CandidateList::simple() {
  add({});
  add_paddings();
  add_swizzles(0, lowest_base(), highest_base);
  add_row_swizzles(0);
  return std::exchange(list_, {});
}

std::vector<CandidateLayout> CandidateList::with_padding(std::int64_t padding) {
  add_swizzles(padding, log2_of(piece_), log2_of(piece_));
  add_row_swizzles(padding);
  return std::exchange(list_, {});
}

std::vector<std::int64_t> CandidateList::paddings() const {
  std::vector<std::int64_t> paddings;
  for (std::int64_t padding = piece_; tile_.rows > 1 && padding < turn_bytes; padding *= 2)
    paddings.push_back(padding);
  return paddings;
}

// The swizzle keeps elements whole.
int CandidateList::lowest_base() const {
  return std::countr_zero(static_cast<std::uint64_t>(tile_.element_bytes));
}

void CandidateList::add(const CandidateLayout& layout) {
  const std::vector<std::uint32_t> places = places_of(layout, tile_);
  const std::string_view bytes(reinterpret_cast<const char*>(places.data()),
                               places.size() * sizeof(places[0]));
  if (seen_.insert(std::hash<std::string_view>()(bytes)).second) list_.push_back(layout);
}

void CandidateList::add_paddings() {
  if (tile_.rows < 2) return;
  if (tile_.element_bytes < bank_bytes) add({tile_.element_bytes});
  for (std::int64_t padding = bank_bytes; padding < turn_bytes; padding += bank_bytes) {
    if (padding % tile_.element_bytes == 0) add({padding});
  }
}

void CandidateList::add_swizzles(std::int64_t padding, int first_base, int last_base) {
  if (!is_power_of_two(tile_.element_bytes)) return;
  const int top = offset_bits(tile_.rows * (tile_.row_bytes() + padding));
  for (int base = first_base; base <= last_base; ++base) {
    for (int bits = 1; bits <= most_bits; ++bits) {
      // CUTLASS asks for a shift of at least `bits`: else a bit would be both source and target.
      for (int shift = bits; base + shift + bits <= top; ++shift) {
        add({padding, XorSwizzle{bits, base, shift}, XorSource::offset});
      }
    }
  }
}

// Only where the pieces of a row can be permuted among themselves, and where no swizzle of the offset does it.
void CandidateList::add_row_swizzles(std::int64_t padding) {
  const std::int64_t pitch = tile_.row_bytes() + padding;
  if (tile_.rows < 2 || is_power_of_two(pitch) || !is_power_of_two(tile_.element_bytes)) return;
  const int base = log2_of(piece_);
  for (int bits = 1; bits <= most_bits && tile_.row_bytes() % (piece_ << bits) == 0; ++bits) {
    for (int shift = 0; (std::int64_t{1} << shift) < tile_.rows && shift <= most_bits; ++shift) {
      add({padding, XorSwizzle{bits, base, shift}, XorSource::row});
    }
  }
}

std::vector<std::uint32_t> places_of(const CandidateLayout& layout, const TileShape& tile) {
  std::vector<std::uint32_t> places(static_cast<std::size_t>(tile.elements()));
  const auto pitch = static_cast<std::uint64_t>(pitch_of(layout, tile));
  const auto element = static_cast<std::uint64_t>(tile.element_bytes);
  std::size_t i = 0;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(tile.rows); ++row) {
    std::uint64_t of_row = 0;
    if (layout.swizzle && layout.source == XorSource::row) {
      of_row = row >> layout.swizzle->shift << layout.swizzle->base & layout.swizzle->mask();
    }
    for (std::uint64_t column = 0; column < static_cast<std::uint64_t>(tile.columns); ++column) {
      std::uint64_t place = row * pitch + (column * element ^ of_row);
      if (layout.swizzle && layout.source == XorSource::offset) place = layout.swizzle->apply(place);
      places[i++] = static_cast<std::uint32_t>(place);
    }
  }
  return places;
}

std::int64_t footprint(const std::vector<std::uint32_t>& places, const TileShape& tile) {
  const auto last = std::max_element(places.begin(), places.end());
  return last == places.end() ? 0 : *last + tile.element_bytes;
}

std::string to_words(const CandidateLayout& layout) {
  std::string words;
  if (layout.padding > 0) words = "pad " + std::to_string(layout.padding) + " B";
  if (layout.swizzle) {
    const XorSwizzle& swizzle = *layout.swizzle;
    if (!words.empty()) words += ", ";
    words += "swizzle " + std::to_string(swizzle.bits) + (swizzle.bits == 1 ? " bit" : " bits") + ", base " +
             std::to_string(swizzle.base);
    if (layout.source == XorSource::offset) {
      words += ", shift " + std::to_string(swizzle.shift);
    } else {
      words += swizzle.shift == 0 ? ", by row" : ", by row / " + std::to_string(1 << swizzle.shift);
    }
  }
  return words.empty() ? "row-major" : words;
}

std::string cutlass_name(const CandidateLayout& layout) {
  if (!layout.swizzle || layout.source != XorSource::offset) return "";
  const XorSwizzle& swizzle = *layout.swizzle;
  return "Swizzle<" + std::to_string(swizzle.bits) + ", " + std::to_string(swizzle.base) + ", " +
         std::to_string(swizzle.shift) + ">";
}

}  // namespace tilescope
