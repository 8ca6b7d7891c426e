// The help texts that ship, the help windows and the first task, in the whole window without a display.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "app/gui/help_texts.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/window/workspace.hpp"

namespace tilescope {
namespace {

class Help : public Panels {
 protected:
  void open_window(bool first_start = false) {
    settings_.first_task_done = !first_start;
    workspace_.reset();
    gui_.reset();
    gui_ = std::make_unique<test_support::HeadlessGui>(1280.0F, 720.0F);
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    workspace_ = std::make_unique<Workspace>(*explorer_, settings_);
    gui_->show([this] {
      explorer_->update();
      workspace_->draw();
    });
    gui_->frames(6);
  }
  void choose(const std::string& menu, const std::string& item) {
    gui_->click(menu);
    gui_->click(item);
  }
  void chord(std::vector<ImGuiKey> keys) {
    for (const ImGuiKey key : keys) ImGui::GetIO().AddKeyEvent(key, true);
    for (const ImGuiKey key : keys) ImGui::GetIO().AddKeyEvent(key, false);
    gui_->frames(6);
  }

  Settings settings_;
  std::unique_ptr<test_support::HeadlessGui> gui_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(Help, TextsAreComplete) {
  const HelpTexts texts = read_help_texts(fs::path(TILESCOPE_SOURCE_DIR) / "assets/help");
  EXPECT_TRUE(texts.problems.empty()) << texts.problems.front();
  std::set<std::string> terms;
  for (const GlossaryEntry& entry : texts.glossary) {
    EXPECT_TRUE(terms.insert(entry.term).second) << entry.term << " is explained twice";
    EXPECT_EQ(entry.text.back(), '.') << entry.term;
  }
  for (const char* term :
       {"Wavefront", "Sector", "Wave", "Limiter", "Tail", "Excess", "Conflict", "Occupancy", "p10, p50, p90",
        "Rung", "Point", "Configuration", "Exhibit", "Measured", "Counted", "Predicted", "Recorded"})
    EXPECT_TRUE(terms.contains(term)) << term;
  EXPECT_FALSE(texts.gestures.empty());
  ASSERT_EQ(texts.first_task.size(), 3U);
  for (const TaskStep& step : texts.first_task) {
    for (const std::string& id : step.panels) EXPECT_NO_THROW(panel(id)) << step.id;
  }
}

TEST_F(Help, EveryPanelHasItsHelpAndFormula) {
  const HelpTexts texts = read_help_texts(fs::path(TILESCOPE_SOURCE_DIR) / "assets/help");
  std::set<std::string> explained;
  for (const PanelHelp& help : texts.panels) {
    EXPECT_TRUE(explained.insert(help.panel).second) << help.panel << " is explained twice";
    EXPECT_NO_THROW(panel(help.panel)) << help.panel;
    const auto ends = std::count(help.help.begin(), help.help.end(), '.');
    EXPECT_GE(ends, 2) << help.panel << " has two sentences";
    EXPECT_FALSE(help.formula.empty()) << help.panel;
  }
  for (const auto& panel : make_registered_panels())
    EXPECT_TRUE(explained.contains(panel->id())) << panel->id();
}

TEST_F(Help, TheQuestionMarkOnATabBarExplainsThePanel) {
  open_window();
  gui_->move_to("help.configuration");
  gui_->frames(60);
  EXPECT_TRUE(gui_->has("help.text.configuration"));
}

TEST_F(Help, ABrokenTextIsAMessage) {
  const fs::path folder = scratch_.folder() / "help";
  fs::create_directories(folder);
  std::ofstream(folder / "glossary.json") << R"([{"term": "Wave"}])";
  std::ofstream(folder / "gestures.json") << "[";
  const HelpTexts texts = read_help_texts(folder);
  ASSERT_EQ(texts.problems.size(), 4U) << "the other files are missing";
  EXPECT_NE(texts.problems[0].find("glossary.json is left out: /0"), std::string::npos) << texts.problems[0];
}

TEST_F(Help, GlossaryFindsTermsFirst) {
  const std::vector<GlossaryEntry> glossary{{"Conflict", "An extra wavefront."}, {"Wavefront", "One pass."}};
  const auto found = find_entries(glossary, "WAVE");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->term, "Wavefront");
  EXPECT_TRUE(find_entries(glossary, "sector").empty());
}

TEST_F(Help, PerformanceListsTheMovesOfThePerson) {
  open_window();
  choose("menu.help", "menu.help.performance");
  EXPECT_TRUE(gui_->has("performance.empty"));
  EXPECT_FALSE(gui_->has("performance.copy"));
  explorer_->meter().moved();
  explorer_->meter().asked();
  explorer_->meter().received_final(AnswerSource::cached);
  gui_->frames();
  EXPECT_TRUE(gui_->has("performance.row.Cached binary"));
  EXPECT_TRUE(gui_->has("performance.stall.0"));
  EXPECT_TRUE(gui_->has("performance.stall.1"));
  gui_->click("performance.copy");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("Cached binary\t1"), std::string::npos);
  gui_->key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_->has("help.performance"));
}

TEST_F(Help, WindowsOpenByMenuAndKeyAndCloseByEscape) {
  open_window();
  choose("menu.help", "menu.help.about");
  EXPECT_TRUE(gui_->has("help.about"));
  choose("menu.help", "menu.help.glossary");
  EXPECT_TRUE(gui_->has("glossary.Wavefront") || gui_->has("glossary.Kernel"));
  gui_->key(ImGuiKey_F1);
  EXPECT_TRUE(gui_->has("help.shortcuts"));
  gui_->key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_->has("help.shortcuts")) << "the last one first";
  EXPECT_TRUE(gui_->has("help.about"));
  gui_->key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_->has("help.glossary"));
  gui_->key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_->has("help.about"));
  EXPECT_TRUE(gui_->errors().empty()) << gui_->errors().front();
}

TEST_F(Help, EscapeClosesAMenuWithItsSubmenuBelowTheMouse) {
  open_window();
  gui_->click("menu.file");
  gui_->move_to("menu.file.example");
  gui_->frames(8);
  ASSERT_TRUE(gui_->has("menu.file.example.ladder_h200"));
  gui_->key(ImGuiKey_Escape);
  gui_->frames(8);
  EXPECT_FALSE(gui_->has("menu.file.example.ladder_h200"));
  EXPECT_FALSE(gui_->has("menu.file.new"));
}

TEST_F(Help, EscapeClosesAPickerAndLeavesTheHelpWindow) {
  open_window();
  choose("menu.help", "menu.help.about");
  gui_->click("picker.kernel");
  ASSERT_TRUE(gui_->has("kernel.tiled"));
  gui_->key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_->has("kernel.tiled"));
  EXPECT_TRUE(gui_->has("help.about"));
}

TEST_F(Help, PaletteOffersSessionsPanelsAndWorkspaces) {
  open_window();
  chord({ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_P});
  ASSERT_TRUE(gui_->has("palette.query"));
  gui_->type("ladder");
  EXPECT_TRUE(gui_->has("palette.file.example.ladder_h200"));
  gui_->key(ImGuiKey_Escape);
  chord({ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_P});
  gui_->type("review");
  gui_->key(ImGuiKey_Enter);
  gui_->frames(6);
  EXPECT_EQ(workspace_->tabs().active().id, "review");
  chord({ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_P});
  gui_->type("show panel occ");
  gui_->key(ImGuiKey_Enter);
  gui_->frames(6);
  EXPECT_TRUE(gui_->has("panel.occupancy"));
}

TEST_F(Help, FirstTaskIsShownAtTheFirstStartAloneAndCoversNoSlider) {
  open_window(true);
  ASSERT_TRUE(gui_->has("first_task"));
  EXPECT_LE(gui_->rectangle("first_task")[3], gui_->rectangle("panel.configuration")[1]);
  gui_->click("first_task.skip");
  EXPECT_FALSE(gui_->has("first_task"));
  EXPECT_TRUE(settings_.first_task_done);
  open_window();
  EXPECT_FALSE(gui_->has("first_task"));
  choose("menu.help", "menu.help.first_task");
  EXPECT_TRUE(gui_->has("first_task"));
}

TEST_F(Help, FirstTaskTicksOffWhatWasDone) {
  open_window(true);
  for (const char* step : {"move_slider", "read_figure", "open_ladder"})
    EXPECT_TRUE(gui_->has(std::string("first_task.open.") + step)) << step;
  gui_->click("first_task.button.read_figure");
  gui_->frames(4);
  gui_->move_to("panel.heat_map");
  gui_->frames(10);
  EXPECT_TRUE(gui_->has("first_task.done.read_figure"));
  EXPECT_TRUE(gui_->has("first_task.open.move_slider"));
  gui_->click("first_task.button.open_ladder");
  // The session is read in the background, while frames that are not painted take no time.
  ASSERT_TRUE(tilescope::wait_for(*explorer_, [&] { return !explorer_->points().recorded().empty(); }));
  gui_->frames();
  EXPECT_TRUE(gui_->has("first_task.done.open_ladder"));
  EXPECT_FALSE(settings_.first_task_done) << "one step is left";
}

TEST_F(Help, FirstTaskTicksOffNothingThatWasNotDone) {
  open_window(true);
  // Another session, another point, and a mouse that rests where nothing is explained.
  explorer_->points().begin_opening(write_session("some", "L4", false));
  ASSERT_TRUE(tilescope::wait_for(*explorer_, [&] { return explorer_->points().list().size() > 9; }));
  explorer_->points().begin_opening_recorded(find_installation().examples / "decoding_h200.json");
  ASSERT_TRUE(tilescope::wait_for(*explorer_, [&] { return !explorer_->points().recorded().empty(); }));
  explorer_->selection().select_point(*explorer_->points().list()[7]);
  explorer_->selection().select_point(*explorer_->points().list()[8]);
  ASSERT_TRUE(explorer_->selection().can_undo() && explorer_->jobs().current_point());
  gui_->move_to("tab.details");
  gui_->frames(20);
  for (const char* step : {"move_slider", "read_figure", "open_ladder"})
    EXPECT_TRUE(gui_->has(std::string("first_task.open.") + step)) << step;
}

}  // namespace
}  // namespace tilescope
