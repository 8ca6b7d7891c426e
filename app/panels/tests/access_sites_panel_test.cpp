// Panel Access sites: rows against the view model, sorting, filter and the focus, with the mouse and the keys.

#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/panels/tests/recorded_fixture.hpp"
#include "profiler/views/memory/access_sites.hpp"

namespace tilescope {
namespace {

class AccessSitesPanelTest : public RecordedPanels {
 protected:
  bool open(test_support::HeadlessGui& gui) {
    choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
    show(gui, "access-sites");
    return wait_for(gui, "access_sites.whole");
  }
  std::vector<AccessSiteRow> rows() const {
    return access_site_rows(explorer_->board().get<KernelCounts>().shown()->memory->sites, "flash_scalar.cu");
  }
  /// The operation and the tile of a line of the CSV, and so on: the field of a row.
  std::vector<std::string> column(std::size_t field) const {
    std::vector<std::string> cells;
    std::istringstream lines(panel("access-sites").csv());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string cell;
      for (std::size_t i = 0; i <= field; ++i) std::getline(fields, cell, ',');
      cells.push_back(cell);
    }
    cells.erase(cells.begin());
    return cells;
  }
  bool is_focused(const AccessSiteRow& row) const {
    const auto site = explorer_->board().get<MemoryFocus>().site_in(block());
    return site && is_same_site(row, block().recording.sites[*site]);
  }
};

TEST_F(AccessSitesPanelTest, ShowsTheBlockUntilTheKernelIsCounted) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 400);
  show(gui, "access-sites");
  ASSERT_TRUE(wait_for(gui, "access_sites.row.0"));
  ASSERT_TRUE(wait_for(gui, "access_sites.whole"));
  EXPECT_FALSE(gui.has("access_sites.block"));
  EXPECT_EQ(column(0).size(), rows().size());
  EXPECT_EQ(column(4).front(), "ld.shared");
  EXPECT_EQ(column(5).front(), "K") << "worst first";
  EXPECT_TRUE(is_focused(rows()[0]));
  EXPECT_EQ(gui.rectangle("access_sites.focused"), gui.rectangle("access_sites.row.0"));
}

TEST_F(AccessSitesPanelTest, TheFirstRowIsWhatTheMicroscopeShows) {
  choose("mma_flash", {});
  test_support::HeadlessGui gui(900, 400);
  show(gui, "access-sites");
  ASSERT_TRUE(wait_for(gui, "access_sites.whole"));
  ASSERT_FALSE(explorer_->board().get<MemoryFocus>().is_chosen());
  ASSERT_EQ(rows()[0].site.conflicts, 0) << "without conflicts, too";
  EXPECT_TRUE(is_focused(rows()[0]));
}

TEST_F(AccessSitesPanelTest, ColumnsAreAsWideAsTheirTexts) {
  test_support::HeadlessGui gui(530, 300);
  ASSERT_TRUE(open(gui));
  EXPECT_LE(gui.rectangle("access_sites.header.excess_share")[2], 530) << "the share of the excess is seen";
  for (std::size_t i = 0; i < 6; ++i) {
    const std::vector<float> header =
        gui.rectangle(std::string("access_sites.header.") + site_columns()[i].tag);
    const float letter = 6 * ui_scale();
    EXPECT_GE(header[2] - header[0], letter * static_cast<float>(site_letters(rows())[i])) << i;
    EXPECT_GE(header[2] - header[0], ImGui::CalcTextSize(site_columns()[i].header).x) << i;
  }
  EXPECT_EQ(gui.has("access_sites.order"), !order_words(rows(), {}).empty());
}

TEST_F(AccessSitesPanelTest, AClickLooksAtTheSite) {
  test_support::HeadlessGui gui(900, 400);
  ASSERT_TRUE(open(gui));
  // Beside the link in the first column, and not on the border of a column, which is dragged.
  const std::vector<float> row = gui.rectangle("access_sites.row.2");
  const std::vector<float> operation = gui.rectangle("access_sites.header.operation");
  ImGui::GetIO().AddMousePosEvent((operation[0] + operation[2]) / 2, (row[1] + row[3]) / 2);
  gui.frames();
  gui.press();
  gui.release();
  EXPECT_TRUE(explorer_->board().get<MemoryFocus>().is_chosen());
  EXPECT_TRUE(is_focused(rows()[2]));
  EXPECT_EQ(gui.rectangle("access_sites.focused"), gui.rectangle("access_sites.row.2"));
  gui.key(ImGuiKey_DownArrow);
  EXPECT_TRUE(is_focused(rows()[3])) << "the keys go from row to row";
  gui.key(ImGuiKey_UpArrow);
  gui.key(ImGuiKey_UpArrow);
  EXPECT_TRUE(is_focused(rows()[1]));
  EXPECT_EQ(lines_shown_, 0);
  gui.click("access_sites.line." + std::to_string(rows()[0].own_line));
  EXPECT_EQ(lines_shown_, 1) << "a line is a link";
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), rows()[0].own_line);
}

TEST_F(AccessSitesPanelTest, SortsAndFilters) {
  test_support::HeadlessGui gui(1400, 500);
  ASSERT_TRUE(open(gui));
  gui.click("access_sites.global");
  for (const std::string& memory : column(0)) EXPECT_EQ(memory, "global");
  EXPECT_FALSE(column(0).empty());
  gui.click("access_sites.local");
  EXPECT_TRUE(column(0).empty()) << "the kernel has no local memory";
  gui.click("access_sites.all");
  EXPECT_FALSE(column(0).empty());
  gui.click("access_sites.header.executions");
  std::vector<std::int64_t> executions;
  for (const std::string& cell : column(7)) executions.push_back(std::stoll(cell));
  EXPECT_TRUE(std::ranges::is_sorted(executions, std::greater<>()));
  gui.click("access_sites.header.executions");
  executions.clear();
  for (const std::string& cell : column(7)) executions.push_back(std::stoll(cell));
  EXPECT_TRUE(std::ranges::is_sorted(executions));
  gui.click("access_sites.header.executions");
  EXPECT_EQ(column(5).front(), "K") << "worst first again";
}

TEST_F(AccessSitesPanelTest, ANewOrderIsShownFromItsFirstRow) {
  test_support::HeadlessGui gui(1400, 200);
  ASSERT_TRUE(open(gui));
  const std::vector<float> first = gui.rectangle("access_sites.row.0");
  gui.wheel("access_sites.row.1", 0, -20);
  gui.frames(3);
  ASSERT_LT(gui.rectangle("access_sites.row.0")[1], first[1]) << "scrolled";
  gui.click("access_sites.header.executions");
  gui.frames(3);
  EXPECT_EQ(gui.rectangle("access_sites.row.0")[1], first[1]);
}

TEST_F(AccessSitesPanelTest, SaysWhatIsMissing) {
  choose("cudnn_sdpa", {});
  test_support::HeadlessGui gui(480, 300);
  show(gui, "access-sites");
  EXPECT_FALSE(gui.has("access_sites.row.0"));
  EXPECT_GT(gui.vertices(), 100);
}

}  // namespace
}  // namespace tilescope
