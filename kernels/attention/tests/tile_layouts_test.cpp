// The rows, columns and index functions that kernels declare for their tiles of Q, K and V, and for the rows that warps
// merge, are what their code does. For the former they run on inputs without equal elements, so that each value in shared
// memory says which element it is; for the latter on inputs whose results can be written down.

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {
namespace {

struct InputElement {
  char tensor = 0;
  std::int64_t row = 0, column = 0;
};
using ElementsByValue = std::unordered_map<std::uint16_t, InputElement>;

ElementsByValue elements_by_value(const AttentionTensors& tensors) {
  ElementsByValue elements;
  const auto add = [&](char name, const StridedTensor& tensor) {
    for (std::int64_t row = 0; row < tensor.rows; ++row) {
      for (std::int64_t column = 0; column < tensor.columns; ++column) {
        const bool is_new =
            elements
                .emplace(tensor.elements[tensor.index(0, 0, row, column)], InputElement{name, row, column})
                .second;
        if (!is_new) throw std::logic_error("two elements of the inputs are equal");
      }
    }
  };
  add('Q', tensors.q);
  add('K', tensors.k);
  add('V', tensors.v);
  return elements;
}

// "K" for "K 0", "KV" for "K and V", "" for "row_max".
std::string inputs_of(const std::string& tile) {
  std::string inputs;
  std::istringstream words(tile);
  for (std::string word; words >> word;) {
    if (word == "Q" || word == "K" || word == "V") inputs += word;
  }
  return inputs;
}

const TileRange* find_merged_rows(const std::vector<TileRange>& tiles) {
  const auto found = std::ranges::find(tiles, "merged rows", &TileRange::name);
  return found == tiles.end() ? nullptr : &*found;
}

struct Verified {
  std::string first_error;
  // By tile and input: the most elements of the input that lay in the tile at one barrier.
  std::map<std::pair<std::string, char>, std::int64_t> elements;
};

// Compares all tiles of Q, K and V with their declarations whenever the block passes a barrier: everything that was
// stored before it is in shared memory then.
class ContentsCheck : public simt::Observer {
 public:
  ContentsCheck(const ElementsByValue& elements, const std::vector<TileRange>& tiles, Verified& verified)
      : elements_(elements), tiles_(tiles), verified_(verified) {}

  void block_barrier(const simt::Block& block, int, std::span<const simt::LaneMask>,
                     std::span<const simt::LaneMask>) override {
    for (const TileRange& tile : tiles_) {
      for (const char input : inputs_of(tile.name)) compare(block, tile, input);
    }
  }

 private:
  // All elements of the input that the tile holds must be where its layout has them: a load begins at a row that is a
  // multiple of the tile's rows.
  void compare(const simt::Block& block, const TileRange& tile, char input) {
    const TileLayout& layout = *tile.layout;
    const std::size_t start = block.program->static_shared_bytes + static_cast<std::size_t>(tile.offset);
    std::int64_t found = 0;
    for (std::size_t place = 0; place < layout.index.size(); ++place) {
      const auto here = static_cast<std::int64_t>(place);
      const std::int64_t row = here / layout.columns, column = here % layout.columns;
      std::uint16_t bits = 0;
      std::memcpy(&bits, block.shared.data() + start + layout.index[place] * sizeof bits, sizeof bits);
      const auto element = elements_.find(bits);
      if (element == elements_.end() || element->second.tensor != input) continue;
      ++found;
      const std::int64_t first_row = element->second.row - row;
      if (element->second.column != column || first_row < 0 || first_row % layout.rows != 0)
        complain(tile, row, column, element->second);
    }
    std::int64_t& most = verified_.elements[{tile.name, input}];
    most = std::max(most, found);
  }
  void complain(const TileRange& tile, std::int64_t row, std::int64_t column, const InputElement& found) {
    if (!verified_.first_error.empty()) return;
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    verified_.first_error = tile.name + " declares row " + text(row) + ", column " + text(column) +
                            " where " + found.tensor + " [" + text(found.row) + ", " + text(found.column) +
                            "] lies";
  }

  const ElementsByValue& elements_;
  const std::vector<TileRange>& tiles_;
  Verified& verified_;
};

class DeclaredLayouts : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  static Shape shape_of(std::int64_t queries, std::int64_t keys, std::int64_t head_size,
                        DataType dtype = DataType::fp16) {
    return {1, 1, 1, queries, keys, head_size, dtype, false};
  }
  void expect_as_declared(const KernelDeclaration& declared, const Configuration& chosen,
                          const Shape& shape) {
    const KernelCase one{declared, chosen, shape, Inputs::distinct, TensorOrder::rows_first};
    if (!why_illegal(one).empty()) return;
    const auto tiles = tile_ranges(declared, declared.complete(chosen), shape, l4());
    if (tiles.empty()) return;
    // Rows that warps merge at the end lie where the tiles were, and their floats may look like elements of an input.
    if (find_merged_rows(tiles) != nullptr) return;
    SCOPED_TRACE(one.name());
    CaseLaunch launch(one, compile(one), l4());
    const ElementsByValue elements = elements_by_value(launch.tensors());
    Verified verified;
    launch.run(std::make_unique<ContentsCheck>(elements, tiles, verified));
    EXPECT_EQ(verified.first_error, "");
    std::set<char> seen;
    for (const TileRange& tile : tiles) {
      for (const char input : inputs_of(tile.name)) {
        const std::int64_t rows = std::min(tile.layout->rows, input == 'Q' ? shape.Sq : shape.Sk);
        const std::int64_t all = rows * tile.layout->columns;
        if (verified.elements[{tile.name, input}] != all) continue;
        seen.insert(input);
        unseen_.erase(tile.name);
      }
    }
    verified_as_a_whole_[one.name()] = std::string(seen.begin(), seen.end());
  }
  void expect_as_declared() {
    const std::set<std::string> decisive = {"SMEM_LAYOUT", "VEC_WIDTH", "SWIZZLE", "FAULT"};
    Configuration base;
    if (kernel.find_parameter("SPLITS") != nullptr)
      base["SPLITS"] = std::int64_t{1};  // a block takes all keys
    std::vector<Configuration> layouts = {base};
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (decisive.contains(parameter.name)) layouts = product(layouts, parameter);
    }
    for (const Configuration& chosen : layouts) {
      expect_as_declared(kernel, chosen, shape_of(130, 260, 64));
      expect_as_declared(kernel, chosen, shape_of(77, 77, 96, DataType::bf16));
    }
    const ParameterDeclaration* layout = kernel.find_parameter("SMEM_LAYOUT");
    for (const std::int64_t head_size : {32, 128, 256}) {
      for (const Configuration& chosen : layout == nullptr ? layouts : product({base}, *layout))
        expect_as_declared(kernel, chosen, shape_of(77, 77, head_size));
    }
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (decisive.contains(parameter.name)) continue;
      for (const Configuration& chosen : product({base}, parameter))
        expect_as_declared(kernel, chosen, shape_of(130, 260, 64));
    }
  }
  static std::vector<Configuration> product(const std::vector<Configuration>& all,
                                            const ParameterDeclaration& parameter) {
    std::vector<Configuration> more;
    for (Configuration one : all) {
      for (const ParameterValue& value : parameter.values) {
        one[parameter.name] = value;
        more.push_back(one);
      }
    }
    return more;
  }

  const KernelDeclaration kernel = catalogue().find(GetParam());
  // Tiles of an input that no configuration verified so far.
  std::set<std::string> unseen_;
  // By configuration: the inputs for which a whole tile was verified.
  std::map<std::string, std::string> verified_as_a_whole_;
};

TEST_P(DeclaredLayouts, AreWhatTheCodeStores) {
  std::set<char> inputs;
  for (const TileDeclaration& tile : kernel.tiles) {
    for (const char input : inputs_of(tile.name)) {
      inputs.insert(input);
      unseen_.insert(tile.name);
    }
  }
  if (inputs.empty()) GTEST_SKIP() << kernel.name << " has no tiles of Q, K or V";
  expect_as_declared();
  EXPECT_EQ(unseen_, std::set<std::string>());
  ASSERT_FALSE(verified_as_a_whole_.empty());
  for (const auto& [configuration, verified] : verified_as_a_whole_) {
    if (configuration.find("no_staging FAULT=on") != std::string::npos)
      continue;  // it leaves K and V where they are
    EXPECT_EQ(verified, std::string(inputs.begin(), inputs.end())) << configuration;
  }
}

INSTANTIATE_TEST_SUITE_P(Rungs, DeclaredLayouts, testing::ValuesIn(attention_kernels(KernelRole::rung)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Exhibits, DeclaredLayouts, testing::ValuesIn(attention_kernels(KernelRole::exhibit)),
                         test_name);

/// Inputs for which everything that a warp hands over is known: row q of a block has the score q_element(q) for every odd
/// key and 0 for the others, and column c of V is value(c) for all keys.
struct MergedRows {
  std::int64_t block_rows = 0, head_size = 0;
  /// [keys] of a warp: half of them odd.
  std::int64_t keys = 0;

  static float q_element(std::int64_t row) { return static_cast<float>(1 + row) / 8; }
  static float value(std::int64_t column) { return 1 + static_cast<float>(column) / 64; }
  void fill(AttentionTensors& tensors) const {
    tensors.q.fill(
        [&](std::int64_t row, std::int64_t column) { return column == 0 ? q_element(row % block_rows) : 0; });
    tensors.k.fill(
        [](std::int64_t row, std::int64_t column) { return column == 0 ? static_cast<float>(row % 2) : 0; });
    tensors.v.fill([](std::int64_t, std::int64_t column) { return value(column); });
  }
  /// The scaled score, in units of log2.
  double largest(std::int64_t row) const {
    return q_element(row % block_rows) / std::sqrt(static_cast<double>(head_size)) * std::log2(std::exp(1.0));
  }
  double sum(std::int64_t row) const {
    return static_cast<double>(keys) / 2 * (1 + std::exp2(-largest(row)));
  }
};

// Compares the tile with what was computed for each row and column, at every barrier: at one of them all must be right.
class MergedRowsCheck : public simt::Observer {
 public:
  MergedRowsCheck(const TileRange& tile, const MergedRows& expected, std::vector<std::string>& wrong)
      : tile_(tile), expected_(expected), wrong_(wrong) {}

  void block_barrier(const simt::Block& block, int, std::span<const simt::LaneMask>,
                     std::span<const simt::LaneMask>) override {
    std::vector<std::string> wrong;
    for (std::int64_t row = 0; row < tile_.layout->rows; ++row) compare(block, row, wrong);
    if (is_first_ || wrong.size() < wrong_.size()) wrong_ = std::move(wrong);
    is_first_ = false;
  }

 private:
  float at(const simt::Block& block, std::int64_t row, std::int64_t column) const {
    const auto element = static_cast<std::size_t>(row * tile_.layout->columns + column);
    const std::size_t start = block.program->static_shared_bytes + static_cast<std::size_t>(tile_.offset);
    float value = 0;
    std::memcpy(&value, block.shared.data() + start + tile_.layout->index[element] * sizeof value,
                sizeof value);
    return value;
  }
  // Neighbouring rows and columns differ by more than the tolerance, which is for weights of 11 bits.
  void compare(const simt::Block& block, std::int64_t row, std::vector<std::string>& wrong) const {
    const auto expect = [&](const std::string& what, double found, double expected) {
      if (!(std::abs(found - expected) <= 5e-4 * expected))
        wrong.push_back("row " + std::to_string(row) + ", " + what + ": " + std::to_string(found) +
                        " instead of " + std::to_string(expected));
    };
    // Behind the output: the maximum, and what each of the four lanes of a row added up.
    double sum = 0;
    for (std::int64_t lane = 0; lane < 4; ++lane) {
      const std::int64_t column = expected_.head_size + 2 * lane;
      expect("maximum of lane " + std::to_string(lane), at(block, row, column), expected_.largest(row));
      sum += at(block, row, column + 1);
    }
    expect("sum", sum, expected_.sum(row));
    for (std::int64_t column = 0; column < expected_.head_size; ++column)
      expect("column " + std::to_string(column), at(block, row, column),
             MergedRows::value(column) * expected_.sum(row));
  }

  const TileRange& tile_;
  const MergedRows& expected_;
  std::vector<std::string>& wrong_;
  bool is_first_ = true;
};

std::vector<std::string> kernels_that_merge_rows() {
  std::vector<std::string> names;
  const Catalogue catalogue(find_installation().kernels);
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (std::ranges::find(kernel.tiles, "merged rows", &TileDeclaration::name) != kernel.tiles.end())
      names.push_back(kernel.name);
  }
  return names;
}

class MergedRowsLayout : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  // Returns how many rows of how many warps were merged; 0 for a configuration without.
  std::int64_t expect_as_declared(const Configuration& chosen, std::int64_t head_size) {
    const Shape shape{1, 1, 1, 128, 256, head_size, DataType::fp16, false};
    const KernelCase one{kernel, chosen, shape};
    if (!why_illegal(one).empty()) return 0;
    const auto tiles = tile_ranges(kernel, kernel.complete(chosen), shape, l4());
    const TileRange* tile = find_merged_rows(tiles);
    if (tile == nullptr) return 0;
    SCOPED_TRACE(one.name());
    const std::int64_t block_rows = std::get<std::int64_t>(chosen.at("BLOCK_M"));
    EXPECT_EQ(tile->layout->columns, head_size + 8);
    EXPECT_EQ(tile->layout->rows % block_rows, 0);
    const MergedRows expected{block_rows, head_size, shape.Sk / (tile->layout->rows / block_rows + 1)};
    CaseLaunch launch(one, compile(one), l4());
    expected.fill(launch.tensors());
    std::vector<std::string> wrong = {"no barrier was passed"};
    launch.run(std::make_unique<MergedRowsCheck>(*tile, expected, wrong));
    EXPECT_TRUE(wrong.empty()) << wrong.size() << " wrong, first " << wrong.front();
    return tile->layout->rows;
  }

  const KernelDeclaration kernel = catalogue().find(GetParam());
};

TEST_P(MergedRowsLayout, IsWhatTheWarpsStore) {
  std::set<std::int64_t> sizes;
  for (const std::int64_t rows : {32, 64}) {
    for (const std::int64_t warps : {4, 8}) {
      Configuration chosen = {{"BLOCK_M", rows}, {"NUM_WARPS", warps}};
      if (kernel.find_parameter("SPLITS") != nullptr) chosen["SPLITS"] = std::int64_t{1};
      for (const std::int64_t head_size : {32, 64, 96, 128})
        sizes.insert(expect_as_declared(chosen, head_size));
    }
  }
  sizes.erase(0);
  EXPECT_GE(sizes.size(), 2U) << "of other numbers of rows, or of warps for the same rows";
}

INSTANTIATE_TEST_SUITE_P(Rungs, MergedRowsLayout, testing::ValuesIn(kernels_that_merge_rows()), test_name);

}  // namespace
}  // namespace tilescope
