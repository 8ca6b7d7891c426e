#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/service/requests/source_tile.hpp"
#include "sessions/views/points/point_text.hpp"

/// The shared memory of a block as a grid: a word of 4 B in each cell, a bank in each column, 128 B in each row.
namespace tilescope {

inline constexpr std::int64_t grid_banks = 32;
inline constexpr std::int64_t bank_word_bytes = 4;
inline constexpr std::size_t bank_grid_colors = 7;
inline constexpr std::int64_t bank_row_bytes = grid_banks * bank_word_bytes;

/// A part of the memory that has a name.
struct BankGridPart {
  enum class Kind { tile, array, unnamed };
  Kind kind = Kind::tile;
  /// Name of the tile, or the array's symbol.
  std::string name;
  /// [B] from the start of the block's shared memory
  std::int64_t offset = 0;
  /// [B]
  std::int64_t bytes = 0;
  /// As in TileLayout; rows is 0 where they are not declared.
  std::int64_t rows = 0, columns = 0, element_bytes = 0, pitch = 0;
  /// [B] in which no element lies; 0 without rows.
  std::int64_t padding_bytes = 0;
  /// Type of an element of a file's array, as its source writes it; "" where it is not known.
  std::string type{};
  /// The number of its color, below bank_grid_colors; the same for "K 0" and "K 1".
  std::size_t color = 0;

  std::int64_t end() const { return offset + bytes; }
  std::int64_t first_row() const { return offset / bank_row_bytes; }
  /// The row after the last one.
  std::int64_t end_row() const { return (end() + bank_row_bytes - 1) / bank_row_bytes; }

  bool operator==(const BankGridPart&) const = default;
};

/// Cells that look alike.
struct BankGridBox {
  std::int64_t row = 0, rows = 1;
  std::int64_t bank = 0, banks = 1;
  /// See BankGrid::look.
  std::int32_t look = 0;

  bool operator==(const BankGridBox&) const = default;
};

class BankGrid {
 public:
  BankGrid() = default;
  /// The static arrays, with offsets from the start of the memory, then the dynamic part with the tiles, whose offsets
  /// are from there too. An array of 0 B names what no tile does.
  BankGrid(std::int64_t static_bytes, std::int64_t dynamic_bytes, const std::vector<TileRange>& tiles,
           const std::vector<NamedTile>& arrays, const std::vector<SourceTile>& source_tiles = {});

  /// [B]
  std::int64_t bytes() const { return bytes_; }
  std::int64_t rows() const { return (bytes_ + bank_row_bytes - 1) / bank_row_bytes; }
  std::int64_t words() const { return (bytes_ + bank_word_bytes - 1) / bank_word_bytes; }
  const std::vector<BankGridPart>& parts() const { return parts_; }

  /// Where parts overlap, this one is shown; else the first that was declared.
  void bring_to_front(std::optional<std::size_t> part);
  std::optional<std::size_t> front() const { return front_; }

  /// How a word looks: outside of the memory, unused, or part_of() and is_padding().
  static constexpr std::int32_t outside = -2, unused = -1;
  std::int32_t look(std::int64_t word) const;
  static std::size_t part_of(std::int32_t look) { return static_cast<std::size_t>(look) / 2; }
  static bool is_padding(std::int32_t look) { return look >= 0 && look % 2 == 1; }

  /// Rows [first, end), as few boxes as whole lines allow. With several rows to a line a cell shows the smallest part
  /// in it, so that none disappears.
  std::vector<BankGridBox> boxes(std::int64_t first_row, std::int64_t end_row,
                                 std::int64_t rows_per_line) const;

  /// The parts with this byte, the shown one first.
  std::vector<std::size_t> parts_at(std::int64_t byte) const;
  /// None without rows, and in padding. `byte` [B] from the start of the memory.
  std::optional<TilePlace> element_at(std::size_t part, std::int64_t byte) const;

 private:
  void add_part(BankGridPart part, const TileLayout* layout);
  void take_types(const std::vector<SourceTile>& source_tiles);
  void choose_colors();
  void paint(std::size_t part);
  std::int32_t line_look(std::int64_t first_row, std::int64_t end_row, std::int64_t bank) const;

  std::int64_t bytes_ = 0;
  std::vector<BankGridPart> parts_;
  // By part.
  std::vector<std::optional<TilePlaces>> places_;
  std::optional<std::size_t> front_;
  // By word.
  std::vector<std::int32_t> looks_;
};

/// Merges cells that look alike: to the right within a line, then lines that are the same. `look(first_row, end_row,
/// bank)` of the rows of a line; cells with BankGrid::outside are left out.
template <class Look>
std::vector<BankGridBox> merged_boxes(std::int64_t first_row, std::int64_t end_row,
                                      std::int64_t rows_per_line, Look look);

/// "K, row 5, column 12", "K, padding", "K + 132 B", "unused".
std::string byte_words(const BankGrid& grid, std::int64_t byte);
/// For the middle of a part: its name and the names of the parts below it, "K 3 / Q"; "" where another one covers it.
std::string names_in_middle(const BankGrid& grid, std::size_t part);
/// For a tooltip: byte, bank, and what else lies there.
std::vector<TextPair> byte_details(const BankGrid& grid, std::int64_t byte);
/// Text of a cell that has room for it: "12,34-35" for row and columns, "+132" without them, "" in padding.
std::string word_text(const BankGrid& grid, std::int64_t word);
/// "64 x 64", "" without rows.
std::string extent_words(const BankGridPart& part);
/// For a tooltip: where it lies, and the layout of its elements.
std::vector<TextPair> part_details(const BankGridPart& part);
/// The undeclared parts, as a sentence; "" for none.
std::string undeclared_words(const BankGrid& grid);
/// A line for each part: name, kind, offset, bytes, rows, columns, element bytes, pitch, padding.
std::string bank_grid_csv(const BankGrid& grid);

template <class Look>
std::vector<BankGridBox> merged_boxes(std::int64_t first_row, std::int64_t end_row,
                                      std::int64_t rows_per_line, Look look) {
  std::vector<BankGridBox> boxes;
  // The boxes of the last line start here.
  std::size_t last_line = 0;
  for (std::int64_t row = first_row; row < end_row; row += rows_per_line) {
    const std::int64_t next = row + rows_per_line < end_row ? row + rows_per_line : end_row;
    const std::size_t line = boxes.size();
    for (std::int64_t bank = 0; bank < grid_banks; ++bank) {
      const std::int32_t here = look(row, next, bank);
      if (here == BankGrid::outside) continue;
      const bool continues =
          boxes.size() > line && boxes.back().look == here && boxes.back().bank + boxes.back().banks == bank;
      if (continues) {
        ++boxes.back().banks;
      } else {
        boxes.push_back({row, next - row, bank, 1, here});
      }
    }
    bool is_same = line - last_line == boxes.size() - line && line > last_line;
    for (std::size_t i = 0; is_same && line + i < boxes.size(); ++i) {
      const BankGridBox& above = boxes[last_line + i];
      const BankGridBox& below = boxes[line + i];
      is_same = above.look == below.look && above.bank == below.bank && above.banks == below.banks;
    }
    if (is_same) {
      for (std::size_t i = last_line; i < line; ++i) boxes[i].rows += next - row;
      boxes.resize(line);
    } else {
      last_line = line;
    }
  }
  return boxes;
}

}  // namespace tilescope
