// The microscope on the kernels of the catalogue, compiled and interpreted here.

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/json_reader.hpp"
#include "profiler/execution/memory/shared_passes.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/views/memory/microscope.hpp"

namespace tilescope {
namespace {

class MicroscopeOfKernels : public test_support::ServiceTest {
 protected:
  MicroscopeOfKernels() {
    experiment.device = "L4";
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 1;
    experiment.shape.Sq = experiment.shape.Sk = 77;
    experiment.shape.D = 64;
  }

  void trace(const std::string& kernel, const Configuration& parameters = {}) {
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    recording = {};
    AccessSelection selection;
    selection.global = true;
    selection.count = 200'000;
    control.send = [this](const Json& part) { append_piece(recording, part); };
    const RecordingSummary summary =
        test_support::ask<RecordBlock>(make_measure_service(installation), {experiment, selection}, control);
    ASSERT_EQ(summary.status, Status::ok) << summary.reason;
    recording.sites = read_list<RecordedSite>(summary.sites);
    const KernelDeclaration declared = Catalogue(installation.kernels).find(kernel);
    const std::vector<DeviceModel> tables = load_device_tables(installation.devices);
    const DeviceModel& device = *match_device(tables, "L4");
    std::vector<TileRange> ranges =
        tile_ranges(declared, declared.complete(parameters), experiment.shape, device);
    for (TileRange& range : ranges) range.offset += static_cast<std::int64_t>(summary.static_shared_bytes);
    tiles = TileFinder(ranges);
  }
  MicroscopeView look(const RecordedAccess& access) const {
    return microscope_view(recording, tiles, access);
  }
  /// The first execution at a line, of an operation.
  std::optional<MicroscopeView> first(const std::string& operation, const std::string& tile) const {
    for (const RecordedAccess& access : recording.accesses) {
      const RecordedSite& site = recording.sites[access.site];
      if (site.operation == operation && site.tile == tile) return look(access);
    }
    return std::nullopt;
  }
  /// Checks the properties of every view, for any kernel: one execution of each pattern of each site.
  void expect_sound() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const RecordedAccess& access : recording.accesses) {
      if (!seen.insert({access.site, access.pattern}).second) continue;
      const MicroscopeView view = look(access);
      SCOPED_TRACE(experiment.kernel + ", " + place_words(view.site) + ", " + view.title);
      EXPECT_EQ(view.cost, access.wavefronts);
      EXPECT_EQ(view.minimum, access.minimum);
      EXPECT_EQ(view.has_excess, access.wavefronts > access.minimum);
      EXPECT_FALSE(view.reason.empty());
      EXPECT_EQ(view.reason.back(), '.');
      EXPECT_FALSE(view.rule.empty());
      for (std::size_t lane = 0; lane < view.lanes.size(); ++lane) {
        EXPECT_EQ(view.lanes[lane].role == LaneRole::idle,
                  (recording.patterns[access.pattern].lanes >> lane & 1u) == 0);
        EXPECT_FALSE(lane_details(view, lane).empty());
      }
      if (!view.site.is_shared) continue;
      EXPECT_EQ(view.verdict.find("bank conflict") != std::string::npos || view.shared.is_past_l1, true);
      bool collides = false;
      for (const LaneView& lane : view.lanes) collides = collides || lane.role == LaneRole::colliding;
      EXPECT_TRUE(view.shared.is_past_l1 || collides == view.has_excess);
    }
    EXPECT_GT(seen.size(), 3U);
  }

  BlockRecording recording;
  TileFinder tiles;
};

TEST_F(MicroscopeOfKernels, RowMajorKeysMeetEightWaysAndTheirLineIsNamed) {
  trace("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  expect_sound();
  const auto keys = first("ld.shared", "K");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->site.line, line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"));
  EXPECT_EQ(keys->verdict, "8-way bank conflict");
  EXPECT_EQ(keys->cost_words, "32 wavefronts, minimum 4");
  EXPECT_NE(keys->reason.find(
                "8 lanes of pass 1 need different words of banks 0 to 3: lanes 0 to 7 read rows 0 to 7, "
                "column 0 of K, 128 B apart, which is a whole turn of the 32 banks."),
            std::string::npos)
      << keys->reason;
  EXPECT_NE(keys->reason.find("A row of K takes 128 B, so that every row begins in the same bank."),
            std::string::npos)
      << keys->reason;
  // Q is read by all lanes at one place.
  const auto query = first("ld.shared", "Q");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->verdict, "No bank conflict");
  EXPECT_EQ(query->lanes[5].role, LaneRole::sharing);
}

// ptxas joins four reads of 2 B into one of 8 B, whose halves of the warp are passes.
TEST_F(MicroscopeOfKernels, ScalarReadsOfRowMajorKeysMeet16Ways) {
  trace("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}, {"VEC_WIDTH", std::int64_t{1}}});
  expect_sound();
  const auto keys = first("ld.shared", "K");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->verdict, "16-way bank conflict");
  EXPECT_EQ(keys->site.line, line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"));
  EXPECT_NE(keys->reason.find("lanes 0 to 15 read rows 0 to 15, column 0 of K"), std::string::npos)
      << keys->reason;
}

TEST_F(MicroscopeOfKernels, OtherLayoutsHaveNoConflict) {
  for (const char* layout : {"padded", "xor_swizzle"}) {
    trace("flash_scalar", {{"SMEM_LAYOUT", std::string(layout)}});
    expect_sound();
    const auto keys = first("ld.shared", "K");
    ASSERT_TRUE(keys);
    EXPECT_EQ(keys->verdict, "No bank conflict") << layout;
    EXPECT_NE(keys->reason.find("lanes 0 to 7 read rows 0 to 7, column 0 of K, in 32 banks"),
              std::string::npos)
        << layout << ": " << keys->reason;
  }
}

TEST_F(MicroscopeOfKernels, MatricesOfTheTensorCores) {
  trace("mma_flash", {{"SMEM_LAYOUT", std::string("row_major")}});
  expect_sound();
  const auto matrices = first("ldmatrix", "K 0");
  ASSERT_TRUE(matrices);
  EXPECT_EQ(matrices->verdict, "8-way bank conflict");
  EXPECT_NE(matrices->rule.find("8x8 matrix"), std::string::npos);
  EXPECT_NE(matrices->reason.find("of K"), std::string::npos) << matrices->reason;
  const auto copies = first("cp.async", "K 0");
  ASSERT_TRUE(copies);
  EXPECT_TRUE(copies->shared.is_past_l1);
  EXPECT_TRUE(copies->lanes[0].source);
}

TEST_F(MicroscopeOfKernels, EveryOtherRung) {
  for (const char* kernel : {"naive", "tiled", "wmma_scores", "wmma_full", "mma_splitkv"}) {
    trace(kernel);
    expect_sound();
  }
}

TEST_F(MicroscopeOfKernels, SizesThatDivideByNothing) {
  experiment.shape.D = 96;
  trace("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}, {"BLOCK_N", std::int64_t{16}}});
  expect_sound();
  const auto keys = first("ld.shared", "K");
  ASSERT_TRUE(keys);
  EXPECT_NE(keys->reason.find("Lanes 16 to 31 are idle."), std::string::npos) << keys->reason;
}

TEST_F(MicroscopeOfKernels, StridedLoadsFromGlobalMemory) {
  trace("strided_loads", {{"FAULT", std::string("on")}});
  expect_sound();
  bool found = false;
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    if (site.is_shared || site.access != simt::Access::load || access.wavefronts < 8 * access.minimum)
      continue;
    const MicroscopeView view = look(access);
    EXPECT_EQ(view.verdict, "Uncoalesced");
    EXPECT_NE(view.reason.find("128 B apart"), std::string::npos) << view.reason;
    found = true;
    break;
  }
  EXPECT_TRUE(found) << "the loads down a column";
}

}  // namespace
}  // namespace tilescope
