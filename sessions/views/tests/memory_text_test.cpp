#include "sessions/views/memory/memory_text.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sessions/views/points/point_details.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

MemorySite k_reads() {
  MemorySite site;
  site.line = 125;
  site.file = "k.cu";
  site.operation = "ld.shared";
  site.width_bytes = 16;
  site.tile = "K";
  site.executions = 1000;
  site.wavefronts = 32000;
  site.minimum = 4000;
  site.conflicts = 28000;
  site.worst_degree = 8;
  site.instruction = "ld.shared.v4.u32 ...";
  return site;
}

Measurement counted_point() {
  Measurement point = test_support::make_point(8, "row");
  MemoryCounts memory;
  memory.blocks_run = 4;
  memory.blocks_total = 128;
  memory.shared_instructions = 1100;
  memory.shared_wavefronts = 32100;
  memory.shared_wavefronts_minimum = 4100;
  memory.shared_conflicts = 28000;
  memory.instructions = {{"alu", 300}, {"fma", 600}, {"mufu", 0}, {"lsu", 100}};
  memory.warp_instructions = 1000;
  MemorySite free = k_reads();
  free.line = 177;
  free.conflicts = 0;
  memory.sites = {k_reads(), free};
  point.memory = memory;
  point.findings = {{"out_of_bounds", {12}, "line 12 reads past Q", {}, {}, {}, 1}};
  return point;
}

const DetailSection* section_named(const std::vector<DetailSection>& sections, const std::string& title) {
  for (const DetailSection& section : sections) {
    if (section.title == title) return &section;
  }
  return nullptr;
}

TEST(MemoryText, SitesSayWhatTheyCost) {
  MemorySite site = k_reads();
  EXPECT_EQ(site_words(site), "ld.shared of K, 16 B: up to 8-way, 28,000 excess");
  site.conflicts = 0;
  site.tile = "";
  EXPECT_EQ(site_words(site), "ld.shared, 16 B: 32,000 wavefronts, no conflicts");
  site.operation = "st.global";
  site.conflicts = 16;
  EXPECT_EQ(site_words(site), "st.global, 16 B: 32,000 sectors, 16 excess");
}

TEST(MemoryText, OnlyAccessesOfSharedMemoryHaveWavefronts) {
  MemorySite site;
  for (const char* operation :
       {"ld.shared", "st.shared", "atom.shared", "wmma.load.shared", "ldmatrix", "stmatrix", "cp.async"}) {
    site.operation = operation;
    EXPECT_TRUE(is_shared_site(site)) << operation;
  }
  for (const char* operation :
       {"ld.global", "st.global", "cp.async.global", "red.global", "ld.local", "ld.param"}) {
    site.operation = operation;
    EXPECT_FALSE(is_shared_site(site)) << operation;
  }
}

TEST(MemoryText, PlacesNameTheirFileWhereItIsNotTheKernels) {
  MemorySite site = k_reads();
  EXPECT_EQ(place_words(site, "k.cu"), "line 125");
  EXPECT_EQ(place_words(site, "other.cu"), "k.cu:125");
  site.inlined = {"element.cuh:84 load_packet<8>"};
  EXPECT_EQ(place_words(site, "k.cu"), "line 125") << "the line itself calls what moves the data";
  site.inlined = {"ldmatrix.cuh:12 load", "loop.cuh:225 scores", "loop.cuh:91 run"};
  EXPECT_EQ(place_words(site, "k.cu"), "line 125, loop.cuh:225");
  site.inlined = {"loop.cuh:230 scores", "loop.cuh:91 run"};
  EXPECT_EQ(place_words(site, "k.cu"), "line 125, loop.cuh:230") << "the function accesses memory itself";
  site.line = 0;
  site.ptx_line = 812;
  EXPECT_EQ(place_words(site, "k.cu"), "PTX line 812");
  site.address = 0x390;
  EXPECT_EQ(place_words(site, "k.cu"), "machine code at 0x0390");
}

TEST(MemoryText, TheMixIsOrderedByShare) {
  EXPECT_EQ(mix_words(*counted_point().memory), "fma 60.0 %, alu 30.0 %, lsu 10.0 %");
  EXPECT_EQ(mix_words({}), "");
}

TEST(MemoryText, ASampleIsSaid) {
  MemoryCounts memory = *counted_point().memory;
  EXPECT_EQ(sample_sentence(memory), "Counted in 4 of 128 blocks and scaled to the grid.");
  memory.blocks_run = 128;
  EXPECT_EQ(sample_sentence(memory), "");
  memory.counted_from = CountedFrom::ptx;
  EXPECT_EQ(sample_sentence(memory), "The GPU may need fewer instructions than the PTX has.");
  memory.blocks_run = 4;
  EXPECT_EQ(sample_sentence(memory),
            "Counted in 4 of 128 blocks and scaled to the grid. The GPU may need fewer instructions than the "
            "PTX has.");
}

TEST(MemoryText, CountsSayWhoCounted) {
  MemoryCounts memory;
  EXPECT_EQ(counts_origin(memory, false), "counted from the machine code");
  EXPECT_EQ(counts_origin(memory, true), "recorded, counted from the machine code");
  memory.counted_from = CountedFrom::ptx;
  EXPECT_EQ(counts_origin(memory, false), "counted from the PTX");
  memory.kind = CountKind::measured;
  EXPECT_EQ(counts_origin(memory, false), "measured by the GPU's counters");
}

TEST(PointDetails, TheWorstLinesHaveASectionAfterTheFigures) {
  const auto sections = point_details(counted_point(), false);
  ASSERT_FALSE(sections.empty());
  const DetailSection* memory = section_named(sections, "Memory");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->origin, "counted from the machine code");
  EXPECT_NE(memory->text.find("4 of 128"), std::string::npos);
  std::set<std::string> labels;
  for (const DetailRow& row : memory->rows) {
    if (row.label == "Conflicts") {
      EXPECT_EQ(row.value, "28,000, 87.2 % of the wavefronts");
    }
    labels.insert(row.label);
    EXPECT_EQ(row.line, 0) << "rows that depend on the point would move those below";
  }
  for (const char* label : {"Minimum wavefronts", "Sectors", "Instructions", "Barriers"})
    EXPECT_TRUE(labels.contains(label)) << label;
  const DetailSection* lines = section_named(sections, excess_by_line);
  ASSERT_NE(lines, nullptr);
  ASSERT_EQ(lines->rows.size(), 1U) << "a line without conflicts is not among the worst";
  EXPECT_EQ(lines->rows[0].label, "line 125");
  EXPECT_EQ(lines->rows[0].line, 125);
  EXPECT_EQ(lines->rows[0].file, "k.cu");
  EXPECT_EQ(lines->rows[0].help, "") << "the source line is shown, not the PTX";
  EXPECT_EQ(lines + 1, section_named(sections, "Provenance"));
}

TEST(PointDetails, ASiteWithoutALineShowsItsInstruction) {
  Measurement point = counted_point();
  point.memory->sites[0].line = 0;
  point.memory->sites[0].ptx_line = 812;
  const auto sections = point_details(point, false);
  const DetailSection* lines = section_named(sections, excess_by_line);
  ASSERT_NE(lines, nullptr);
  EXPECT_EQ(lines->rows.back().label, "PTX line 812");
  EXPECT_EQ(lines->rows.back().help, "ld.shared.v4.u32 ...");
}

TEST(PointDetails, APointThatWasNotInterpretedHasNoCounts) {
  EXPECT_EQ(section_named(point_details(test_support::make_point(8, "row"), false), "Memory"), nullptr);
}

}  // namespace
}  // namespace tilescope
