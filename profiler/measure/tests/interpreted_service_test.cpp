#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

using Interpreted = test_support::ServiceTest;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const MemorySite* site_at(const Measurement& point, std::int64_t line, const std::string& tile) {
  for (const MemorySite& site : point.memory->sites) {
    if (site.line == line && site.tile == tile) return &site;
  }
  return nullptr;
}

TEST_F(Interpreted, ATableDeviceHasACheckedResultAndCountedMemory) {
  experiment.device = "L4";
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_TRUE(point.error);
  EXPECT_EQ(point.error->checked_by, "interpreter");
  EXPECT_LE(point.error->max_abs, point.error->tolerance);
  EXPECT_GT(point.error->rows_checked, 0);
  EXPECT_LT(point.error->rows_checked, point.error->rows_total);
  EXPECT_FALSE(point.latency);
  ASSERT_TRUE(point.memory);
  EXPECT_EQ(point.memory->kind, CountKind::counted);
  EXPECT_EQ(point.memory->counted_from, CountedFrom::machine_code);
  EXPECT_EQ(point.memory->blocks_total, 128);
  EXPECT_LT(point.memory->blocks_run, 16);
  EXPECT_GE(point.memory->shared_wavefronts, point.memory->shared_wavefronts_minimum);
}

TEST_F(Interpreted, ATracedPointHasAllSitesAndAMeasuredOneThoseThatCostTooMuch) {
  const Measurement traced = trace({}), measured = measure();
  // Every element of K is read once for each of 512 queries, 16 B by each of 32 lanes; see FACTS on 128-bit reads.
  const MemorySite* k =
      site_at(traced, line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"), "K");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->executions, 8 * 512 * (512 / 32) * (64 / 8));
  EXPECT_EQ(k->minimum, 4 * k->executions);
  EXPECT_EQ(k->conflicts, 0) << "xor_swizzle";
  ASSERT_FALSE(measured.memory->sites.empty());
  for (const MemorySite& site : measured.memory->sites) {
    EXPECT_GT(site.conflicts, 0);
    EXPECT_NE(std::ranges::find(traced.memory->sites, site), traced.memory->sites.end());
  }
  EXPECT_EQ(measured.memory->shared_wavefronts, traced.memory->shared_wavefronts);
}

TEST_F(Interpreted, RowMajorReadsOfKCollideEightWays) {
  experiment.parameters = {{"SMEM_LAYOUT", std::string("row_major")}};
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  const MemorySite& worst = point.memory->sites.front();
  EXPECT_EQ(worst.line, line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"));
  EXPECT_EQ(worst.tile, "K");
  EXPECT_EQ(worst.operation, "ld.shared");
  EXPECT_EQ(worst.worst_degree, 8);
  EXPECT_EQ(worst.wavefronts, 8 * worst.minimum);
}

TEST_F(Interpreted, BlocksThatShareTheKeysOfARowAreSampledTogether) {
  experiment.kernel = "mma_splitkv";
  experiment.parameters = {{"SPLITS", std::int64_t{8}}};
  experiment.blocks = {BlockChoice::Kind::count, 3};
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.memory->blocks_run, 8);
  EXPECT_EQ(point.memory->blocks_total, 16 * 8 * 8);
  EXPECT_EQ(point.error->rows_checked, 32) << "all rows of one tile are complete";
}

TEST_F(Interpreted, ASampleCountsWhatTheWholeGridCounts) {
  const auto service = make_measure_service(installation);
  const Measurement sampled = measure(service);
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const Measurement whole = measure(service);
  ASSERT_EQ(whole.status, Status::ok) << whole.reason;
  EXPECT_EQ(whole.memory->blocks_run, 128);
  EXPECT_EQ(whole.error->rows_checked, whole.error->rows_total);
  EXPECT_EQ(sampled.memory->shared_wavefronts, whole.memory->shared_wavefronts);
  EXPECT_EQ(sampled.memory->global_sectors, whole.memory->global_sectors);
  EXPECT_EQ(sampled.memory->warp_instructions, whole.memory->warp_instructions);
  experiment.shape.causal = true;
  const Measurement causal = measure(service);
  experiment.blocks = {};
  const Measurement causal_sample = measure(service);
  EXPECT_NEAR(static_cast<double>(causal_sample.memory->shared_wavefronts),
              static_cast<double>(causal.memory->shared_wavefronts),
              0.03 * static_cast<double>(causal.memory->shared_wavefronts));
}

TEST_F(Interpreted, EveryShapeIsRight) {
  const auto service = make_measure_service(installation);
  const Shape shapes[] = {{1, 4, 2, 33, 70, 32, DataType::bf16, true},
                          {2, 2, 1, 100, 40, 64, DataType::fp16, true},
                          {1, 2, 2, 1, 200, 128, DataType::fp16, false}};
  for (const Shape& shape : shapes) {
    experiment.shape = shape;
    experiment.blocks = {BlockChoice::Kind::all, 0};
    const Measurement point = measure(service);
    EXPECT_EQ(point.status, Status::ok) << to_string(shape) << ": " << point.reason;
    EXPECT_EQ(point.error->rows_checked, point.error->rows_total);
  }
}

TEST_F(Interpreted, AFlippedIndexIsAWrongResult) {
  experiment.kernel =
      edited_copy("tiles.k + KeyTile::index(key, column)", "tiles.k + KeyTile::index(key ^ 1, column)")
          .string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_TRUE(has(point.reason, "the largest error is")) << point.reason;
  EXPECT_TRUE(has(point.reason, "interpreted")) << point.reason;
  ASSERT_TRUE(point.error);
  EXPECT_GT(point.error->max_abs, point.error->tolerance);
  EXPECT_TRUE(point.memory) << "what was counted stays";
}

TEST_F(Interpreted, RowsThatNobodyWritesAreAWrongResult) {
  experiment.kernel = edited_copy("if (query < problem.queries) store",
                                  "if (query < problem.queries && query % 8 != 3) store")
                          .string();
  experiment.blocks = {BlockChoice::Kind::all, 0};
  experiment.shape = {1, 2, 2, 64, 64, 64, DataType::fp16, false};
  const Measurement some = measure();
  EXPECT_EQ(some.status, Status::wrong_result);
  EXPECT_TRUE(has(some.reason,
                  "16 of 128 rows of the output were not written, the first at batch 0, head 0, query 3"))
      << some.reason;
  experiment.kernel =
      edited_copy("if (query < problem.queries) store", "if (query > problem.queries) store").string();
  experiment.blocks = {};
  experiment.shape = {};
  const Measurement none = measure();
  EXPECT_EQ(none.status, Status::wrong_result);
  EXPECT_TRUE(has(none.reason, "wrote no row of the output")) << none.reason;
}

TEST_F(Interpreted, AWrongResultOfNanNamesTheLineWhereItBegins) {
  const std::string inverse = "const float inverse = sum > 0 ? 1 / sum : 0.0f;";
  experiment.kernel = edited_copy(inverse, "const float inverse = (sum - sum) / (sum - sum);").string();
  experiment.shape = {1, 1, 1, 64, 64, 64, DataType::bf16, false};
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::wrong_result) << point.reason;
  const auto first = std::ranges::find(point.findings, "first_nan", &Finding::kind);
  ASSERT_NE(first, point.findings.end());
  ASSERT_FALSE(first->lines.empty());
  EXPECT_EQ(first->lines.front(), line_with(flash_scalar(), inverse)) << first->text;
  EXPECT_EQ(std::ranges::count(point.findings, "first_nan", &Finding::kind), 1) << "of PTX and machine code";
}

TEST_F(Interpreted, AnAccessOutOfBoundsFailsTheLaunchWithItsLine) {
  const std::string copy =
      edited_copy("load_packet<VEC_WIDTH>(source + row * row_stride + column)",
                  "load_packet<VEC_WIDTH>(source + (row + 1000000) * row_stride + column)")
          .string();
  experiment.kernel = copy;
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::launch_failed);
  const std::int64_t line = line_with(flash_scalar(), "if (row < valid) packet");
  EXPECT_TRUE(has(point.reason, std::to_string(line))) << point.reason;
  ASSERT_FALSE(point.findings.empty());
  EXPECT_EQ(point.findings[0].kind, "out_of_bounds");
  EXPECT_EQ(point.findings[0].lines, std::vector<std::int64_t>{line});
}

TEST_F(Interpreted, AnEndlessLoopIsALivelockWhereItSpins) {
  experiment.shape = {1, 1, 1, 32, 64, 64, DataType::fp16, false};
  const std::string head = "for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {";
  experiment.kernel =
      edited_copy(head, "while (*(volatile float*)problem.lse != 7.0f) {\n  }\n  " + head).string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::launch_failed) << point.reason;
  EXPECT_TRUE(has(point.reason, "makes no progress")) << point.reason;
  EXPECT_TRUE(has(point.reason, "copy.cu:" + std::to_string(line_with(flash_scalar(), head))))
      << point.reason;
}

TEST_F(Interpreted, AnInstructionThatIsNotExecutedIsUnsupportedWithItsPlace) {
  const std::string start = "const float scale = problem.softmax_scale * log2_e;";
  experiment.kernel = edited_copy(start, start + " asm volatile(\"pmevent 1;\");").string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_TRUE(has(point.reason, "pmevent")) << point.reason;
  EXPECT_TRUE(has(point.reason, "copy.cu:" + std::to_string(line_with(flash_scalar(), start))))
      << point.reason;
  EXPECT_TRUE(point.resources) << "it compiles all the same";
}

TEST_F(Interpreted, ARunThatTakesTooLongIsRefusedWithAnEstimate) {
  experiment.shape = {1, 8, 8, 16384, 16384, 64, DataType::fp16, false};
  experiment.blocks = {BlockChoice::Kind::all, 0};
  control.time_limit_s = 30;
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::timed_out);
  EXPECT_TRUE(has(point.reason, "minutes")) << point.reason;
  EXPECT_TRUE(has(point.reason, "--blocks auto")) << point.reason;
}

TEST_F(Interpreted, ARemovedBarrierIsARaceOfTwoLines) {
  experiment.kernel = edited_copy("__syncthreads();  // the tiles (and", "// the tiles (and").string();
  experiment.shape = {1, 1, 1, 64, 128, 64, DataType::fp16, false};
  const Measurement point = trace({true, 0});
  const std::string source = flash_scalar();
  const std::int64_t written = line_with(source, "store_packet(tile + Tile::index(row, column), packet)");
  const std::int64_t read = line_with(source, "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k");
  const bool found = std::any_of(point.findings.begin(), point.findings.end(), [&](const Finding& finding) {
    const auto names = [&](std::int64_t line) {
      return std::find(finding.lines.begin(), finding.lines.end(), line) != finding.lines.end();
    };
    return finding.kind == "race" && names(written) && names(read);
  });
  EXPECT_TRUE(found) << Json(point).dump(1);

  experiment.kernel = "flash_scalar";
  EXPECT_TRUE(trace({true, 0}).findings.empty()) << "the kernel itself is not accused";
}

TEST_F(Interpreted, AWindowHasTheAddressesOfTheSelectedLine) {
  AccessSelection selection;
  selection.block = 3;
  selection.lines = {line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"),
                     line_with(flash_scalar(), "unpack<Element>(load_packet<value_width>(tiles.v")};
  selection.first = 100;
  selection.count = 6000;
  BlockRecording recording;
  int messages = 0;
  const auto service = make_measure_service(installation);
  control.send = [&](const Json& part) {
    ++messages;
    append_piece(recording, part);
  };
  const RecordingSummary summary = test_support::ask<RecordBlock>(service, {experiment, selection}, control);
  ASSERT_EQ(summary.status, Status::ok) << summary.reason;
  EXPECT_EQ(summary.sent, 6000U);
  EXPECT_EQ(recording.accesses.size(), 6000U);
  EXPECT_EQ(messages, 2);
  EXPECT_GT(summary.matching, 6100U);
  EXPECT_EQ(summary.dynamic_shared_bytes, 28928U);
  EXPECT_EQ(summary.threads, 256U);
  EXPECT_FALSE(summary.instructions.empty());
  ASSERT_EQ(summary.arrays.size(), 1U);
  EXPECT_EQ(summary.arrays[0]["name"], "shared") << "the extern one";
  ASSERT_FALSE(summary.sites.empty());
  std::set<std::int64_t> lines;
  for (const Json& site : summary.sites) {
    lines.insert(site["line"].get<std::int64_t>());
    EXPECT_EQ(site["tile"], site["line"] == selection.lines[0] ? "K" : "V") << site;
  }
  EXPECT_EQ(lines.size(), 2U) << "of the instructions of two unrolled loops";

  selection.block = 128;
  const RecordingSummary outside = test_support::ask<RecordBlock>(service, {experiment, selection}, control);
  EXPECT_EQ(outside.status, Status::launch_failed);
  EXPECT_TRUE(has(outside.reason, "128")) << outside.reason;
}

}  // namespace
}  // namespace tilescope
