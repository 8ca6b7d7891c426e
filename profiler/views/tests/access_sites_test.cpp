#include "profiler/views/memory/access_sites.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

MemorySite site(std::int64_t line, const std::string& operation, const std::string& tile,
                std::int64_t executions, std::int64_t wavefronts, std::int64_t minimum) {
  MemorySite made;
  made.line = line;
  made.file = "kernel.cu";
  made.operation = operation;
  made.tile = tile;
  made.width_bytes = 16;
  made.executions = executions;
  made.lanes = executions * 24;
  made.wavefronts = wavefronts;
  made.minimum = minimum;
  made.conflicts = wavefronts - minimum;
  made.worst_degree = 8;
  made.ptx_line = line + 1000;
  made.instruction = "ld.shared.v4.u32 {%r1, %r2}, [%r3];";
  return made;
}

std::vector<AccessSiteRow> rows() {
  MemorySite header = site(84, "ld.global", "Q", 10, 80, 40);
  header.file = "element.cuh";
  return access_site_rows(
      {site(10, "st.shared", "K", 100, 400, 400), header, site(20, "ld.shared", "K", 50, 400, 100),
       site(30, "ld.shared", "V", 100, 200, 100), site(40, "st.global", "O", 10, 160, 40)},
      "kernel.cu");
}

std::vector<std::string> places(const SiteOrder& order) {
  const std::vector<AccessSiteRow> all = rows();
  std::vector<std::string> places;
  for (const std::uint32_t index : ordered_sites(all, order)) places.push_back(all[index].place);
  return places;
}

TEST(AccessSites, TheWorstComesFirst) {
  EXPECT_EQ(places({}),
            (std::vector<std::string>{"line 20", "line 30", "line 40", "element.cuh:84", "line 10"}));
}

TEST(AccessSites, SharesAreOfOneKindOfMemory) {
  const std::vector<AccessSiteRow> all = rows();
  EXPECT_DOUBLE_EQ(all[0].excess_share, 0.75);
  EXPECT_DOUBLE_EQ(all[0].cost_share, 0.4);
  EXPECT_DOUBLE_EQ(all[2].excess_share, 0.75) << "of the sectors";
  EXPECT_DOUBLE_EQ(all[0].per_execution, 8);
  EXPECT_DOUBLE_EQ(all[0].lanes, 24);
  EXPECT_EQ(site_cell(all[0], SiteColumn::excess_share), "75.0 %");
  EXPECT_EQ(site_cell(all[2], SiteColumn::degree), "-") << "sectors have none";
  // Nothing is divided by nothing.
  const auto clean = access_site_rows({site(1, "ld.shared", "K", 0, 0, 0)}, "kernel.cu");
  EXPECT_EQ(clean[0].excess_share, 0);
  EXPECT_EQ(clean[0].lanes, 0);
}

TEST(AccessSites, AreFilteredAndSorted) {
  EXPECT_EQ(places({SiteKind::global}), (std::vector<std::string>{"line 40", "element.cuh:84"}));
  EXPECT_EQ(places({SiteKind::shared}), (std::vector<std::string>{"line 20", "line 30", "line 10"}));
  SiteOrder order = sorted_by_next({}, SiteColumn::place);
  EXPECT_FALSE(order.descending) << "lines ascend";
  EXPECT_EQ(places(order),
            (std::vector<std::string>{"line 10", "line 20", "line 30", "line 40", "element.cuh:84"}));
  order = sorted_by_next(order, SiteColumn::place);
  EXPECT_TRUE(order.descending);
  order = sorted_by_next(order, SiteColumn::place);
  EXPECT_FALSE(order.is_sorted) << "worst first again";
  order = sorted_by_next(order, SiteColumn::executions);
  EXPECT_TRUE(order.descending);
  EXPECT_EQ(places(order).back(), "element.cuh:84") << "the worse of equal ones comes first";
  EXPECT_EQ(site_header(site_columns()[6], SiteKind::all), "Cost");
  EXPECT_EQ(site_header(site_columns()[6], SiteKind::global), "Sectors");
  EXPECT_EQ(site_header(site_columns()[0], SiteKind::global), "Line");
  for (const SiteColumnText& column : site_columns()) {
    for (const AccessSiteRow& row : rows()) EXPECT_FALSE(site_cell(row, column.column).empty()) << column.tag;
  }
}

TEST(AccessSites, ALineOfAHeaderIsNoLineOfTheKernel) {
  const std::vector<AccessSiteRow> all = rows();
  EXPECT_EQ(all[0].own_line, 20U);
  EXPECT_EQ(site_cell(all[0], SiteColumn::place), "20");
  EXPECT_EQ(all[3].own_line, 0U);
  EXPECT_EQ(site_cell(all[3], SiteColumn::place), "element.cuh:84");
  MemorySite without = site(0, "ld.shared", "", 1, 1, 1);
  without.ptx_line = 812;
  EXPECT_EQ(access_site_rows({without}, "kernel.cu")[0].place, "PTX line 812");
}

TEST(AccessSites, HaveLabelsForAList) {
  const std::vector<AccessSiteRow> all = rows();
  EXPECT_EQ(site_label(all[0]), "20 ld.shared K, 8-way, 300 excess");
  EXPECT_EQ(site_label(all[2]), "40 st.global O, uncoalesced, 120 excess");
  EXPECT_EQ(site_label(all[4]), "10 st.shared K, no excess");
  EXPECT_EQ(site_previews(all[0], true),
            (std::vector<std::string>{"Worst: 20 ld.shared K, 8-way, 300 excess in this block",
                                      "20 ld.shared K, 8-way, 300 excess in this block",
                                      "20 ld.shared K, 8-way, 300 excess", "20 ld.shared K, 8-way",
                                      "20 ld.shared K"}));
}

TEST(AccessSites, AreFoundInATracedBlock) {
  const std::vector<AccessSiteRow> all = rows();
  const RecordedSite wanted = recorded_site(all[0]);
  EXPECT_TRUE(wanted.is_shared);
  EXPECT_EQ(wanted.line, 20U);
  EXPECT_TRUE(is_same_site(all[0], wanted));
  EXPECT_FALSE(is_same_site(all[1], wanted));
}

TEST(AccessSites, OfAnUnrolledLineAreOne) {
  MemorySite copy = site(20, "ld.shared", "K", 50, 200, 100);
  copy.ptx_line = 1021;
  copy.worst_degree = 2;
  const auto all = access_site_rows({site(20, "ld.shared", "K", 50, 400, 100), copy}, "kernel.cu");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].site.executions, 100);
  EXPECT_EQ(all[0].site.conflicts, 400);
  EXPECT_EQ(all[0].site.worst_degree, 8);
  EXPECT_EQ(all[0].site.ptx_line, 1020) << "the first one stands for them";

  BlockRecording recording;
  recording.sites = {recorded_site(all[0]), recorded_site(all[0]), recorded_site(all[0])};
  recording.sites[0].ptx_line = 1021;
  recording.sites[2].tile = "V";
  for (const std::uint32_t i : {0U, 1U}) EXPECT_TRUE(is_same_site(all[0], recording.sites[i]));
  EXPECT_FALSE(is_same_site(all[0], recording.sites[2]));
  EXPECT_EQ(copies_of(recording, 0), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(copies_of(recording, 2), (std::vector<std::uint32_t>{2}));
  recording.sites[0].address = 0x40;
  recording.sites[1].address = 0x80;
  EXPECT_EQ(copies_of(recording, 0), (std::vector<std::uint32_t>{0, 1})) << "the order of the machine code";

  // Without lines every instruction is a site of its own.
  MemorySite first = site(0, "ld.shared", "K", 1, 1, 1), second = first;
  second.ptx_line = 7;
  EXPECT_EQ(access_site_rows({first, second}, "kernel.cu").size(), 2U);
}

TEST(AccessSites, InlinedFromOneLineAreToldApart) {
  MemorySite one = site(151, "ldmatrix", "K 0", 1, 4, 4), two = site(151, "ldmatrix", "V 0", 1, 4, 4);
  one.inlined = {"ldmatrix.cuh:10 ldmatrix", "mma_key_loop.cuh:84 scores", "mma_key_loop.cuh:150 key_loop"};
  two.inlined = {"ldmatrix.cuh:17 ldmatrix_trans", "mma_key_loop.cuh:120 output"};
  MemorySite copy = one, elsewhere = one;
  copy.ptx_line = 7;
  auto all = access_site_rows({two, one, copy}, "kernel.cu");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(site_cell(all[0], SiteColumn::place), "151 mma_key_loop.cuh:84");
  EXPECT_EQ(site_cell(all[1], SiteColumn::place), "151 mma_key_loop.cuh:120");
  EXPECT_EQ(site_letters(all)[0], 24U);
  // Another place with the same operation and tile: the excess of one is not blamed on the other.
  elsewhere.inlined[1] = "mma_key_loop.cuh:90 scores";
  elsewhere.wavefronts = 32;
  elsewhere.conflicts = 28;
  all = access_site_rows({one, elsewhere}, "kernel.cu");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(site_cell(all[0], SiteColumn::place), "151 mma_key_loop.cuh:90");
  EXPECT_EQ(all[0].site.conflicts, 28);
  EXPECT_TRUE(site_label(all[0]).starts_with("mma_key_loop.cuh:90 ldmatrix K 0")) << site_label(all[0]);
  BlockRecording recording;
  recording.sites = {recorded_site(all[0]), recorded_site(all[1])};
  EXPECT_TRUE(is_same_site(all[0], recording.sites[0]));
  EXPECT_FALSE(is_same_site(all[0], recording.sites[1]));
  EXPECT_EQ(copies_of(recording, 0), (std::vector<std::uint32_t>{0}));
  // A line that makes the call itself needs no second place.
  one.inlined = {"element.cuh:84 load_packet<8>"};
  EXPECT_EQ(site_cell(access_site_rows({one}, "kernel.cu")[0], SiteColumn::place), "151");
}

TEST(AccessSites, SayHowTwoKindsOfExcessAreOrdered) {
  EXPECT_NE(order_words(rows(), {}), "");
  EXPECT_EQ(order_words(rows(), {SiteKind::shared}), "") << "one kind";
  EXPECT_EQ(order_words(rows(), sorted_by_next({}, SiteColumn::excess)), "") << "the header has an arrow";
  EXPECT_EQ(order_words(access_site_rows({site(1, "ld.shared", "K", 1, 2, 1)}, ""), {}), "");
}

TEST(AccessSites, EqualOnesAreInTheOrderOfTheSource) {
  const MemorySite k1 = site(151, "ldmatrix", "K 1", 1, 4, 4), k0 = site(151, "ldmatrix", "K 0", 1, 4, 4);
  EXPECT_EQ(access_site_rows({k1, k0}, "kernel.cu")[0].site.tile, "K 0");
  EXPECT_EQ(access_site_rows({k0, k1}, "kernel.cu")[0].site.tile, "K 0");
}

TEST(AccessSites, AreExportedInFull) {
  const std::vector<AccessSiteRow> all = rows();
  const std::string csv = access_sites_csv(all, ordered_sites(all, {SiteKind::shared}));
  EXPECT_EQ(csv.substr(0, csv.find(',')), "memory");
  EXPECT_NE(
      csv.find("\r\nshared,kernel.cu,20,1020,ld.shared,K,16,50,1200,400,100,300,8,0.75,0.4,8,\"ld.shared.v4"),
      std::string::npos)
      << csv;
  EXPECT_EQ(csv.find("global"), std::string::npos) << "as it is filtered";
}

TEST(AccessSites, SayWhatWasCounted) {
  MemoryCounts counts;
  counts.blocks_run = counts.blocks_total = 128;
  EXPECT_EQ(whole_kernel_words(counts), "Whole kernel: all 128 blocks, from the machine code");
  counts.blocks_run = 5;
  counts.counted_from = CountedFrom::ptx;
  EXPECT_EQ(whole_kernel_words(counts), "Whole kernel: counted in 5 of 128 blocks and scaled, from the PTX");
}

}  // namespace
}  // namespace tilescope
