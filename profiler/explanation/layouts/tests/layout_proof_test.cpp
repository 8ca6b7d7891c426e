#include <gtest/gtest.h>

#include <algorithm>
#include <iosfwd>
#include <map>
#include <set>

#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/explanation/layouts/tests/recorded_case.hpp"

// The solver promises what a tile's accesses cost with another layout. Here the kernel is compiled with that layout and
// interpreted: the wavefronts are exactly those.
namespace tilescope {
namespace {

struct ProvedKernel {
  std::string name;
  Configuration chosen;
  Shape shape;
  /// Tiles to which the kernel makes other accesses with other layouts: their cost cannot be promised.
  std::set<std::string> with_other_accesses = {};
};

void PrintTo(const ProvedKernel& proved, std::ostream* out) {
  *out << proved.name << " " << to_string(proved.chosen) << " " << to_string(proved.shape);
}

class LayoutProof : public KernelTest, public testing::WithParamInterface<ProvedKernel> {
 protected:
  RecordedCase recorded(const KernelCase& one) const { return {one, compile(one), l4()}; }

  // The tile's promises about SMEM_LAYOUT. Returns how many there were.
  std::size_t expect_promises_kept(const KernelCase& one, const RecordedCase& block, const TileRange& tile) {
    const auto solved = solve_layouts(block.recording, question_about(tile, one, l4()));
    EXPECT_TRUE(solved->layouts[solved->current].is_current);
    EXPECT_EQ(solved->layouts[solved->current].cost.wavefronts, block.wavefronts(tile.name));
    std::size_t promises = 0;
    for (const RankedLayout& layout : solved->layouts) {
      for (const OfferedLayout& offered : layout.offered) {
        const KernelLayout& there = solved->kernel_layouts[offered.layout];
        if (there.parameter != "SMEM_LAYOUT") continue;
        ++promises;
        KernelCase changed{one.kernel, one.chosen, one.shape};
        changed.chosen[there.parameter] = there.value;
        const RecordedCase recompiled = recorded(changed);
        if (recompiled.executions(tile.name) != block.executions(tile.name)) {
          with_other_accesses_.insert(tile.name);
          continue;
        }
        EXPECT_EQ(offered.wavefronts, recompiled.wavefronts(tile.name))
            << tile.name << " with " << layout.words << ", which is " << to_string(there.value);
      }
    }
    return promises;
  }

  std::set<std::string> with_other_accesses_;
};

TEST_P(LayoutProof, WhatTheSolverPromisesIsWhatTheRecompiledKernelTakes) {
  const ProvedKernel& proved = GetParam();
  const KernelDeclaration kernel = catalogue().find(proved.name);
  const ParameterDeclaration* layouts = kernel.find_parameter("SMEM_LAYOUT");
  ASSERT_NE(layouts, nullptr);
  std::size_t promises = 0;
  for (const ParameterValue& value : layouts->values) {
    KernelCase one{kernel, proved.chosen, proved.shape};
    one.chosen["SMEM_LAYOUT"] = value;
    SCOPED_TRACE(one.name());
    ASSERT_EQ(why_illegal(one), "");
    const RecordedCase block = recorded(one);
    for (const TileRange& tile : accessed_tiles(block.recording, block.tiles))
      promises += expect_promises_kept(one, block, tile);
  }
  EXPECT_GE(promises, 2 * layouts->values.size()) << "each layout promises about two tiles or more";
  EXPECT_EQ(with_other_accesses_, proved.with_other_accesses);
}

Configuration vectors(std::int64_t width) {
  return {{"VEC_WIDTH", width}};
}
Shape shape_of(std::int64_t keys, std::int64_t head_size) {
  Shape shape;
  shape.Hq = shape.Hkv = 1;
  shape.Sq = shape.Sk = keys;
  shape.D = head_size;
  return shape;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, LayoutProof,
    testing::Values(ProvedKernel{"flash_scalar", vectors(8), shape_of(128, 64)},
                    ProvedKernel{"flash_scalar", vectors(4), shape_of(128, 96)},
                    ProvedKernel{"flash_scalar", vectors(1), shape_of(77, 64)},
                    ProvedKernel{"tiled", vectors(8), shape_of(77, 96)},
                    ProvedKernel{"tiled", vectors(2), shape_of(64, 128)},
                    ProvedKernel{"mma_flash", {}, shape_of(192, 64)},
                    ProvedKernel{"mma_flash", {}, shape_of(77, 96)},
                    // It zeroes O with its padding, so that it makes more stores with one.
                    ProvedKernel{"wmma_full", {}, shape_of(128, 64), {"O"}},
                    ProvedKernel{"wmma_full", {}, shape_of(77, 96), {"O"}}));

class IdleSwizzleProof : public KernelTest {
 protected:
  std::uint64_t wavefronts(const Configuration& chosen) const {
    const KernelCase one{kernel_, chosen, shape_of(77, 64)};
    return RecordedCase(one, compile(one), l4()).wavefronts("K");
  }

  const KernelDeclaration kernel_ = catalogue().find("idle_swizzle");
};

TEST_F(IdleSwizzleProof, TheExhibitsSwizzleChangesNoBank) {
  const Configuration faulty{{"FAULT", "on"}, {"SWIZZLE", std::int64_t{1}}};
  const KernelCase one{kernel_, faulty, shape_of(77, 64)};
  const RecordedCase block(one, compile(one), l4());
  const auto solved = solve_layouts(block.recording, question_about(block.tiles.front(), one, l4()));
  const RankedLayout& current = solved->layouts[solved->current];
  EXPECT_EQ(current.words, "swizzle 2 bits, base 7, shift 3");
  EXPECT_EQ(current.reason, "Moves whole turns of 128 B through the banks: no address changes its bank.");
  std::map<std::string, std::uint64_t> promised;
  for (const RankedLayout& layout : solved->layouts) {
    for (const OfferedLayout& offer : layout.offered)
      promised[solved->kernel_layouts[offer.layout].parameter] = offer.wavefronts;
  }
  EXPECT_EQ(promised.at("SWIZZLE"), current.cost.wavefronts) << "off is as good as on";
  EXPECT_EQ(promised.at("SWIZZLE"), wavefronts({{"FAULT", "on"}, {"SWIZZLE", std::int64_t{0}}}));
  EXPECT_LT(promised.at("FAULT"), current.cost.wavefronts);
  EXPECT_EQ(promised.at("FAULT"), wavefronts({{"FAULT", "off"}, {"SWIZZLE", std::int64_t{1}}}));
}

// One way to fill and to read the tiles of a kernel that takes every layout.
struct ProvedAccess {
  Configuration chosen;
  Shape shape;
};

void PrintTo(const ProvedAccess& proved, std::ostream* out) {
  *out << to_string(proved.chosen) << " " << to_string(proved.shape);
}

class AnyLayoutProof : public KernelTest, public testing::WithParamInterface<ProvedAccess> {
 protected:
  RecordedCase recorded(const KernelCase& one) const { return {one, compile(one), l4()}; }

  static Configuration with_layout(Configuration chosen, const CandidateLayout& layout) {
    const XorSwizzle swizzle = layout.swizzle.value_or(XorSwizzle{0, 4, 3});
    chosen["PAD"] = layout.padding;
    chosen["BITS"] = std::int64_t{swizzle.bits};
    chosen["BASE"] = std::int64_t{swizzle.base};
    chosen["SHIFT"] = std::int64_t{swizzle.shift};
    chosen["XOR_WITH"] = layout.source == XorSource::row ? "row_bits" : "offset_bits";
    return chosen;
  }

  // The winner, those that change no bank, and losers from all over the list.
  static std::vector<const RankedLayout*> samples(const SolvedTile& solved) {
    std::vector<const RankedLayout*> working, chosen;
    for (const RankedLayout& layout : solved.layouts) {
      if (layout.works && layout.layout) working.push_back(&layout);
    }
    for (std::size_t i = 0; i < working.size(); i += 1 + working.size() / 9) chosen.push_back(working[i]);
    for (const RankedLayout* layout : working) {
      if (layout->layout == CandidateLayout{0, XorSwizzle{2, 7, 3}} ||
          layout->layout == CandidateLayout{0, XorSwizzle{1, 1, 6}})
        chosen.push_back(layout);
    }
    return chosen;
  }

  KernelDeclaration kernel_ =
      read_kernel_declaration(find_installation().root / "profiler/explanation/layouts/tests/any_layout.cu");
};

TEST_P(AnyLayoutProof, EachSampledLayoutTakesWhatTheSolverPromises) {
  const KernelCase one{kernel_, GetParam().chosen, GetParam().shape};
  ASSERT_EQ(why_illegal(one), "");
  const RecordedCase block = recorded(one);
  std::set<std::uint64_t> different;
  for (const std::string name : {"K", "V"}) {
    const auto tile = std::find_if(block.tiles.begin(), block.tiles.end(),
                                   [&](const TileRange& range) { return range.name == name; });
    const auto solved = solve_layouts(block.recording, question_about(*tile, one, l4()));
    EXPECT_EQ(solved->accesses.executions, block.executions(name));
    for (const RankedLayout* layout : samples(*solved)) {
      const KernelCase changed{kernel_, with_layout(one.chosen, *layout->layout), one.shape};
      ASSERT_EQ(why_illegal(changed), "") << layout->words;
      EXPECT_EQ(layout->cost.wavefronts, recorded(changed).wavefronts(name)) << name << ": " << layout->words;
      different.insert(layout->cost.wavefronts);
    }
  }
  EXPECT_GE(different.size(), 3u) << "the samples would not show a difference";
}

TEST_P(AnyLayoutProof, TheWinnerComputesAttention) {
  const KernelCase one{kernel_, GetParam().chosen, GetParam().shape};
  const RecordedCase block = recorded(one);
  const auto solved = solve_layouts(block.recording, question_about(block.tiles.front(), one, l4()));
  expect_right(one);
  expect_right({kernel_, with_layout(one.chosen, *solved->layouts.front().layout), one.shape});
}

Configuration accesses(const std::string& copy, const std::string& read, std::int64_t keys) {
  return {{"COPY", copy}, {"READ", read}, {"BLOCK_N", keys}};
}

INSTANTIATE_TEST_SUITE_P(
    Accesses, AnyLayoutProof,
    testing::Values(ProvedAccess{accesses("cp_async", "ldmatrix", 64), shape_of(100, 64)},
                    ProvedAccess{accesses("cp_async", "ldmatrix", 48), shape_of(77, 96)},
                    ProvedAccess{accesses("cp_async", "ldmatrix", 80), shape_of(90, 80)},
                    ProvedAccess{accesses("vector", "vector", 40), shape_of(70, 96)},
                    ProvedAccess{accesses("vector", "scalar", 24), shape_of(50, 80)},
                    ProvedAccess{accesses("scalar", "scalar", 40), shape_of(45, 64)},
                    ProvedAccess{accesses("scalar", "scalar", 24), shape_of(30, 80)},
                    ProvedAccess{accesses("cp_async", "vector", 64), shape_of(64, 128)}));

}  // namespace
}  // namespace tilescope
