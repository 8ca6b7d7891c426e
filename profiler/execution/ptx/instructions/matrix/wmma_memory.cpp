#include <algorithm>
#include <bit>
#include <cstring>

#include "profiler/execution/ptx/instructions/matrix/wmma_fragment.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::uint8_t row_bytes = 16;  // of an 8 x 8 matrix of 16-bit elements

// Common to all lanes of the instruction.
struct Place {
  std::uint64_t base = 0;
  std::uint64_t stride = 0;  // in elements
  int element_bytes = 2;
  bool rows_are_contiguous = true;

  std::uint64_t address(int row, int column) const {
    const auto r = static_cast<std::uint64_t>(row), c = static_cast<std::uint64_t>(column);
    return base + (rows_are_contiguous ? r * stride + c : c * stride + r) *
                      static_cast<std::uint64_t>(element_bytes);
  }
};

Place place_of(const Warp& warp, const Instruction& i, const WmmaAccess& access) {
  const auto first = static_cast<std::size_t>(std::countr_zero(warp.exec));
  Place place;
  place.base = addresses_of(warp, i.b, access.base_bytes, i.immediate)[first];
  place.element_bytes = size_of(access.fragment.type);
  place.rows_are_contiguous = access.rows_are_contiguous;
  const int dense = access.rows_are_contiguous ? access.fragment.columns() : access.fragment.rows();
  place.stride = i.c == no_slot ? static_cast<std::uint64_t>(dense) : warp.read<std::uint32_t>(i.c)[first];
  return place;
}

// The 32 lanes of a tile's registers, before they are kept or after they were read.
using TileLanes = std::array<std::array<std::uint32_t, lane_count>, 2>;

void set_tile(Warp& warp, const Slot* registers, const WmmaFragment& fragment, int tile,
              const TileLanes& lanes) {
  const int step = fragment.tiles().count * fragment.registers_of_tile();
  for (int part = 0; part < fragment.registers_of_tile(); ++part) {
    const int first = tile * fragment.registers_of_tile() + part;
    for (int r = first; r < fragment.registers(); r += step) {  // and its repetitions
      std::uint32_t* result = warp.write<std::uint32_t>(registers[r]);
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        if ((warp.exec >> lane & 1u) != 0) result[lane] = lanes[static_cast<std::size_t>(part)][lane];
      }
    }
  }
}

TileLanes get_tile(const Warp& warp, const Slot* registers, const WmmaFragment& fragment, int tile) {
  TileLanes lanes{};
  for (int part = 0; part < fragment.registers_of_tile(); ++part) {
    const Slot slot = registers[tile * fragment.registers_of_tile() + part];
    std::memcpy(lanes[static_cast<std::size_t>(part)].data(), warp.read<std::uint32_t>(slot),
                sizeof lanes[0]);
  }
  return lanes;
}

// Half-precision factors in shared memory are loaded with ldmatrix, as GPUs do: up to four tiles by their rows of 16
// bytes.
void load_rows(Warp& warp, const Instruction& i, const WmmaAccess& access, const Place& place) {
  const auto tiles = access.fragment.tiles();
  for (int first = 0; first < tiles.count; first += 4) {
    const int count = std::min(4, tiles.count - first);
    std::array<std::uint64_t, lane_count> addresses{};
    for (int lane = 0; lane < 8 * count; ++lane) {
      const int number = first + lane / 8;
      const WmmaTile tile = tiles.at[static_cast<std::size_t>(number)];
      addresses[static_cast<std::size_t>(lane)] = access.rows_are_contiguous
                                                      ? place.address(tile.row + lane % 8, tile.column)
                                                      : place.address(tile.row, tile.column + lane % 8);
    }
    const LaneMask lanes = count == 4 ? all_lanes : (LaneMask{1} << 8 * count) - 1;
    const LaneRequest request{.space = access.space,
                              .access = Access::matrix_load,
                              .bytes = row_bytes,
                              .element_bytes = 2,
                              .alignment = row_bytes};
    const LanePointers rows = resolve(warp, i, request, lanes & warp.exec, addresses.data());
    for (int t = 0; t < count; ++t) {
      std::uint16_t memory[8][8] = {}, tile[8][8];
      for (std::size_t r = 0; r < 8; ++r) {
        const std::size_t lane = 8 * static_cast<std::size_t>(t) + r;
        if ((rows.lanes >> lane & 1u) != 0) std::memcpy(memory[r], rows.at[lane], row_bytes);
      }
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) tile[r][c] = access.rows_are_contiguous ? memory[r][c] : memory[c][r];
      }
      TileLanes registers{};
      std::memcpy(registers[0].data(), tile, sizeof tile);
      set_tile(warp, warp.operands(i), access.fragment, first + t, registers);
    }
  }
}

// Moves a tile between its registers and memory, lane by lane: a lane's elements together when they are contiguous in
// memory, else one after the other.
void move_tile(Warp& warp, const Instruction& i, const WmmaAccess& access, const Place& place, WmmaTile tile,
               TileLanes& lanes, bool is_store) {
  const int of_lane = access.fragment.tile_columns() / 4;
  const bool together = access.rows_are_contiguous;
  const auto element = static_cast<std::size_t>(place.element_bytes);
  const auto bytes = static_cast<std::uint8_t>(place.element_bytes * (together ? of_lane : 1));
  const LaneRequest request{.space = access.space,
                            .access = is_store ? Access::store : Access::load,
                            .bytes = bytes,
                            .element_bytes = static_cast<std::uint8_t>(element),
                            .alignment = bytes};
  const auto part_of = [&](std::size_t lane, int e) {  // of the registers
    const std::size_t part = element == 4 ? static_cast<std::size_t>(e) : 0;
    const std::size_t inside = element == 4 ? 0 : element * static_cast<std::size_t>(e);
    return reinterpret_cast<std::byte*>(&lanes[part][lane]) + inside;
  };
  for (int e = 0; e < of_lane; e += together ? of_lane : 1) {
    std::array<std::uint64_t, lane_count> addresses;
    for (int lane = 0; lane < lane_count; ++lane) {
      addresses[static_cast<std::size_t>(lane)] =
          place.address(tile.row + lane / 4, tile.column + lane % 4 * of_lane + e);
    }
    const LanePointers memory = resolve(warp, i, request, warp.exec, addresses.data());
    for (LaneMask rest = memory.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      for (int k = 0; k < bytes / place.element_bytes; ++k) {
        std::byte* at = memory.at[lane] + element * static_cast<std::size_t>(k);
        if (is_store) {
          std::memcpy(at, part_of(lane, e + k), element);
        } else {
          std::memcpy(part_of(lane, e + k), at, element);
        }
      }
    }
  }
}

// bfloat16 factors are loaded in pairs as they lie in memory, and transposed in registers if needed, as SASS does with
// MOVM.
void load_turned(Warp& warp, const Instruction& i, const WmmaAccess& access, const Place& place,
                 WmmaTile tile, TileLanes& lanes) {
  WmmaAccess as_it_lies = access;
  Place in_memory = place;
  as_it_lies.rows_are_contiguous = in_memory.rows_are_contiguous = true;
  move_tile(warp, i, as_it_lies, in_memory, {tile.column, tile.row}, lanes, false);
  std::uint16_t memory[8][8], turned[8][8];
  std::memcpy(memory, lanes[0].data(), sizeof memory);
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) turned[r][c] = memory[c][r];
  }
  std::memcpy(lanes[0].data(), turned, sizeof turned);
}

// Whether the ISA has factors of a type in a shape.
bool has_shape(Type factor, std::uint8_t shape) {
  return (factor == Type::tf32) == (wmma_shapes[shape].k == 8);
}

bool is_in_shared(const WmmaAccess& access, std::uint64_t address) {
  return access.space == Space::shared ||
         (access.space == Space::generic && address - shared_window < window_bytes);
}

}  // namespace

FragmentTiles fragment_tiles(WmmaMatrix matrix, int rows, int columns, int tile_columns) {
  FragmentTiles tiles;
  const auto add = [&](int row, int column) {
    tiles.at[static_cast<std::size_t>(tiles.count++)] = {row, column};
  };
  if (matrix == WmmaMatrix::b) {
    for (int n = 0; n < rows; n += 8) {
      for (int k = 0; k < columns; k += tile_columns) add(n, k);
    }
    return tiles;
  }
  for (int m = 0; m < rows; m += 16) {
    for (int column = 0; column < columns; column += tile_columns) {
      for (int row = m; row < std::min(m + 16, rows); row += 8) add(row, column);
    }
  }
  return tiles;
}

bool WmmaFragment::exists() const {
  if (matrix == WmmaMatrix::accumulator) {
    return type == Type::f32 || (type == Type::f16 && has_shape(Type::f16, shape));
  }
  return (type == Type::f16 || type == Type::bf16 || type == Type::tf32) && has_shape(type, shape);
}

FragmentTiles WmmaFragment::tiles() const {
  return fragment_tiles(matrix, rows(), columns(), tile_columns());
}

std::optional<WmmaProduct> wmma_product(std::uint8_t shape, std::span<const Type> types) {
  const bool names_factors = types.size() == 4;
  if (types.size() != 2 && !(names_factors && types[1] == types[2])) return std::nullopt;
  const WmmaProduct product{types.front(), names_factors ? types[1] : Type::f16, types.back()};
  if (names_factors && product.factor != Type::bf16 && product.factor != Type::tf32) return std::nullopt;
  const auto is_sum = [&](Type type) { return type == Type::f32 || (type == Type::f16 && !names_factors); };
  if (!is_sum(product.d) || !is_sum(product.c) || !has_shape(product.factor, shape)) return std::nullopt;
  return product;
}

int WmmaFragment::registers() const {
  if (matrix != WmmaMatrix::accumulator && type == Type::f16) return 8;
  return tiles().count * registers_of_tile();
}

int WmmaFragment::rows() const {
  return matrix == WmmaMatrix::b ? wmma_shapes[shape].n : wmma_shapes[shape].m;
}

int WmmaFragment::columns() const {
  return matrix == WmmaMatrix::accumulator ? wmma_shapes[shape].n : wmma_shapes[shape].k;
}

void WmmaAccess::pack(Instruction& instruction) const {
  instruction.type = static_cast<std::uint8_t>(fragment.type);
  instruction.count = fragment.shape;
  instruction.width = static_cast<std::uint8_t>(fragment.matrix);
  instruction.flags = static_cast<std::uint8_t>(static_cast<int>(space) | (base_bytes == 4 ? 8 : 0) |
                                                (rows_are_contiguous ? 16 : 0));
}

WmmaAccess WmmaAccess::unpack(const Instruction& instruction) {
  return {
      {static_cast<WmmaMatrix>(instruction.width), static_cast<Type>(instruction.type), instruction.count},
      static_cast<Space>(instruction.flags & 7),
      (instruction.flags & 8) != 0 ? 4 : 8,
      (instruction.flags & 16) != 0};
}

void wmma_load(Warp& warp, const Instruction& i) {
  const WmmaAccess access = WmmaAccess::unpack(i);
  const Place place = place_of(warp, i, access);
  const bool is_factor = access.fragment.matrix != WmmaMatrix::accumulator;
  if (is_factor && access.fragment.type == Type::f16 && is_in_shared(access, place.base)) {
    return load_rows(warp, i, access, place);
  }
  const bool is_turned = is_factor && access.fragment.type == Type::bf16 && !access.rows_are_contiguous;
  const auto tiles = access.fragment.tiles();
  for (int t = 0; t < tiles.count; ++t) {
    TileLanes lanes{};
    const WmmaTile tile = tiles.at[static_cast<std::size_t>(t)];
    if (is_turned) {
      load_turned(warp, i, access, place, tile, lanes);
    } else {
      move_tile(warp, i, access, place, tile, lanes, false);
    }
    set_tile(warp, warp.operands(i), access.fragment, t, lanes);
  }
}

void wmma_store(Warp& warp, const Instruction& i) {
  const WmmaAccess access = WmmaAccess::unpack(i);
  const Place place = place_of(warp, i, access);
  const auto tiles = access.fragment.tiles();
  for (int t = 0; t < tiles.count; ++t) {
    TileLanes lanes = get_tile(warp, warp.operands(i), access.fragment, t);
    move_tile(warp, i, access, place, tiles.at[static_cast<std::size_t>(t)], lanes, true);
  }
}

}  // namespace tilescope::ptx
