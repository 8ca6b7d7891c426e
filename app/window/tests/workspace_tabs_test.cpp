// Switching between workspaces, with panels that only say how much room they have.

#include "app/window/workspace_tabs.hpp"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <map>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/scratch_folder.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "base/json.hpp"

namespace tilescope {
namespace {

using Rectangle = std::vector<float>;

class Room : public Panel {
 public:
  Room(const std::string& id, PanelSize least, std::optional<PanelRole> role = {})
      : Panel(id, "Panel " + id, least, role) {}
  ImVec2 room{};
  ImGuiID table = 0;

 protected:
  void draw(Explorer&) override {
    room = ImGui::GetContentRegionAvail();
    table = ImGui::GetID("table");
  }
};

WorkspaceLayout layout(const std::string& id, const std::string& area) {
  return workspace_layout_from({{"title", id}, {"order", 1}, {"layout", Json::parse(area)}}, id);
}

class SwitchedWorkspaces : public ::testing::Test {
 protected:
  SwitchedWorkspaces() {
    for (const char* id : {"a", "b", "c", "d"})
      panels_.push_back(std::make_unique<Room>(id, PanelSize{120, 80}));
    Installation installation = find_installation();
    installation.data = scratch_ / "data";
    explorer_ = std::make_unique<Explorer>(installation, Client::Options{});
    start();
  }

  static std::vector<WorkspaceLayout> two() {
    return {
        layout("one", R"({"columns": [{"share": 1, "panels": ["a"]}, {"share": 2, "panels": ["b", "c"]}]})"),
        layout("two", R"({"rows": [{"panels": ["c"]}, {"panels": ["b", "a"]}]})")};
  }

  // As a program that starts with the settings as they are.
  void start(std::vector<WorkspaceLayout> layouts = two(), float width = 900, float height = 600) {
    tabs_.reset();
    gui_.reset();
    gui_ = std::make_unique<tilescope::test_support::HeadlessGui>(width, height);
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    if (!settings_.layout.empty())
      ImGui::LoadIniSettingsFromMemory(settings_.layout.c_str(), settings_.layout.size());
    tabs_ = std::make_unique<WorkspaceTabs>(std::move(layouts), panels_, settings_);
    actions_ = {};
    actions_.add(tabs_->actions());
    gui_->show([this] {
      actions_.take_shortcuts();
      if (ImGui::BeginMainMenuBar()) {
        tabs_->draw_tabs();
        ImGui::EndMainMenuBar();
      }
      tabs_->draw_panels(*explorer_);
    });
    gui_->frames(5);
  }
  void stop() {
    tabs_->remember();
    std::size_t size = 0;
    const char* text = ImGui::SaveIniSettingsToMemory(&size);
    settings_.layout.assign(text, size);
  }

  void press(ImGuiKey key) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    gui_->frames(1);
    gui_->key(key);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
    gui_->frames(3);
  }
  void drag(float x, float y, float to_x) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    gui_->frames(3);
    gui_->press();
    ImGui::GetIO().AddMousePosEvent(to_x, y);
    gui_->frames(3);
    gui_->release();
  }
  void resize(float width, float height) {
    ImGui::GetIO().DisplaySize = {width, height};
    gui_->frames(5);
  }
  // Resizes like a user's hand: many sizes between the two.
  void resize_slowly(float width, float height) {
    const ImVec2 from = ImGui::GetIO().DisplaySize;
    for (int step = 1; step <= 10; ++step) {
      const float part = static_cast<float>(step) / 10;
      ImGui::GetIO().DisplaySize = {from.x + (width - from.x) * part, from.y + (height - from.y) * part};
      gui_->frames(1);
    }
    gui_->frames(4);
  }
  float width_of(const std::string& panel) const { return place(panel)[2] - place(panel)[0]; }
  float height_of(const std::string& panel) const { return place(panel)[3] - place(panel)[1]; }
  Rectangle place(const std::string& panel) const { return gui_->rectangle("panel." + panel); }
  bool shows(const std::string& panel) const { return gui_->has("panel." + panel); }
  // Moves the border between a and b by 60 pixels.
  void widen_a() {
    const Rectangle a = place("a");
    drag(a[2] + 1, (a[1] + a[3]) / 2, a[2] + 61);
  }

  ScratchFolder scratch_;
  Settings settings_;
  std::vector<std::unique_ptr<Panel>> panels_;
  std::unique_ptr<Explorer> explorer_;
  std::unique_ptr<tilescope::test_support::HeadlessGui> gui_;
  std::unique_ptr<WorkspaceTabs> tabs_;
  ActionList actions_;
};

TEST_F(SwitchedWorkspaces, NoticesAreAtTheDockOfTheirPanelWhileItIsOpen) {
  std::vector<WorkspaceLayout> layouts = two();
  layouts[0].notices = "c";
  start(std::move(layouts));
  const std::optional<ImVec4> area = tabs_->notice_area();
  ASSERT_TRUE(area);
  const Rectangle dock = place("b");  // c is a tab behind it.
  EXPECT_NEAR(area->x, dock[0], 1);
  EXPECT_NEAR(area->z, dock[2], 1);
  EXPECT_NEAR(area->w, dock[3], 1);
  panels_[2]->open = false;
  gui_->frames(2);
  EXPECT_FALSE(tabs_->notice_area());
  tabs_->activate(1);
  gui_->frames(3);
  EXPECT_FALSE(tabs_->notice_area()) << "two has no place for them";
}

TEST_F(SwitchedWorkspaces, BeginWithTheFirstAsItWasShipped) {
  EXPECT_EQ(tabs_->active().id, "one");
  EXPECT_TRUE(shows("a"));
  EXPECT_TRUE(shows("b")) << "the first of two tabs is in front";
  EXPECT_FALSE(shows("c"));
  EXPECT_FALSE(panels_[3]->open) << "a panel that no layout has is closed";
  const float left = place("a")[2] - place("a")[0];
  const float right = place("b")[2] - place("b")[0];
  EXPECT_NEAR(right / left, 2, 0.05);
}

TEST_F(SwitchedWorkspaces, AreSwitchedByKeyAndByTab) {
  press(ImGuiKey_2);
  EXPECT_EQ(tabs_->active().id, "two");
  EXPECT_TRUE(shows("c"));
  EXPECT_TRUE(shows("b"));
  EXPECT_FALSE(shows("a"));
  EXPECT_LT(place("c")[3], place("b")[1] + 1) << "rows";
  gui_->click("workspace.one");
  EXPECT_EQ(tabs_->active().id, "one");
  EXPECT_TRUE(shows("a"));
  press(ImGuiKey_9);
  EXPECT_EQ(tabs_->active().id, "one") << "there is no ninth";
  EXPECT_TRUE(gui_->errors().empty()) << gui_->errors().front();
}

TEST_F(SwitchedWorkspaces, StandInPlaceInTheFirstFrameThatIsPainted) {
  for (const std::size_t to : {1U, 0U, 1U}) {
    tabs_->activate(to);
    gui_->frames(1);
    if (tabs_->has_new_docks()) gui_->frames(1);
    EXPECT_FALSE(tabs_->has_new_docks());
    std::map<std::string, Rectangle> at_once;
    for (const char* id : {"a", "b", "c"}) {
      if (shows(id)) at_once[id] = place(id);
    }
    gui_->frames(6);
    for (const char* id : {"a", "b", "c"}) {
      ASSERT_EQ(at_once.contains(id), shows(id)) << id << " in " << tabs_->active().id;
      if (!shows(id)) continue;
      EXPECT_EQ(at_once[id], place(id)) << id << " in " << tabs_->active().id;
    }
  }
}

TEST_F(SwitchedWorkspaces, AreFoundByTheRoleThatTheyShow) {
  std::vector<WorkspaceLayout> layouts = two();
  layouts[1].shows = {PanelRole::comparison};
  panels_[3] = std::make_unique<Room>("d", PanelSize{120, 80}, PanelRole::comparison);
  start(std::move(layouts));
  tabs_->activate_for(PanelRole::several_kernels);
  EXPECT_EQ(tabs_->active().id, "one") << "there is none for it";
  EXPECT_FALSE(tabs_->is_open(PanelRole::comparison));
  tabs_->activate_for(PanelRole::comparison);
  EXPECT_EQ(tabs_->active().id, "two");
  tabs_->show(PanelRole::comparison);
  gui_->frames(6);
  EXPECT_TRUE(tabs_->is_open(PanelRole::comparison));
  EXPECT_TRUE(shows("d"));
  tabs_->show(PanelRole::latencies);
  EXPECT_FALSE(tabs_->is_open(PanelRole::latencies)) << "no panel has it";
}

TEST_F(SwitchedWorkspaces, KeepTheirLayoutsWhileOthersAreShown) {
  const Rectangle shipped = place("a");
  widen_a();
  const Rectangle wide = place("a");
  EXPECT_NEAR(wide[2], shipped[2] + 60, 2);
  panels_[1]->open = false;
  gui_->frames();
  EXPECT_TRUE(shows("c"));
  tabs_->activate(1);
  gui_->frames();
  EXPECT_TRUE(shows("b")) << "closed in the other workspace alone";
  tabs_->activate(0);
  gui_->frames();
  EXPECT_FALSE(shows("b"));
  EXPECT_EQ(place("a"), wide);
}

TEST_F(SwitchedWorkspaces, KeepWhichTabIsInFront) {
  ImGui::SetWindowFocus(panels_[2]->window_name("one").c_str());
  gui_->frames();
  EXPECT_TRUE(shows("c"));
  press(ImGuiKey_2);
  press(ImGuiKey_1);
  EXPECT_TRUE(shows("c"));
  EXPECT_FALSE(shows("b"));
  stop();
  start();
  EXPECT_TRUE(shows("c"));
  EXPECT_FALSE(shows("b"));
}

TEST_F(SwitchedWorkspaces, KeepTheirLayoutsFromOneStartToTheNext) {
  widen_a();
  const Rectangle wide = place("a");
  panels_[2]->open = false;
  press(ImGuiKey_2);
  panels_[3]->open = true;
  gui_->frames();
  EXPECT_TRUE(shows("d"));
  const Rectangle added = place("d");
  stop();
  EXPECT_EQ(settings_.workspace, "two");
  EXPECT_EQ(settings_.panels.at("one"), (std::map<std::string, bool>{{"c", false}}));
  EXPECT_EQ(settings_.panels.at("two"), (std::map<std::string, bool>{{"d", true}}));

  start();
  EXPECT_EQ(tabs_->active().id, "two");
  EXPECT_TRUE(shows("d"));
  EXPECT_EQ(place("d"), added);
  press(ImGuiKey_1);
  EXPECT_EQ(place("a"), wide);
  EXPECT_FALSE(panels_[2]->open);
  EXPECT_FALSE(panels_[3]->open);
}

TEST_F(SwitchedWorkspaces, AreResetToTheirShippedLayout) {
  const Rectangle shipped = place("a");
  widen_a();
  panels_[1]->open = false;
  panels_[3]->open = true;
  gui_->frames();
  tabs_->reset_layout();
  gui_->frames(4);
  EXPECT_EQ(place("a"), shipped);
  EXPECT_TRUE(shows("b"));
  EXPECT_FALSE(shows("d"));
  stop();
  EXPECT_TRUE(settings_.panels.at("one").empty());
}

TEST_F(SwitchedWorkspaces, APanelOfNoLayoutOpensAmongTheTabsInTheCentre) {
  const Rectangle centre = place("b");
  panels_[3]->open = true;
  gui_->frames(4);
  EXPECT_TRUE(shows("d")) << "in front";
  EXPECT_EQ(place("d"), centre);
  EXPECT_FALSE(shows("b"));
}

TEST_F(SwitchedWorkspaces, ShowAPanelThatIsAskedFor) {
  EXPECT_TRUE(actions_.run("panel.c"));
  gui_->frames();
  EXPECT_TRUE(shows("c")) << "in front of b";
  EXPECT_TRUE(actions_.run("panel.d"));
  gui_->frames(4);
  EXPECT_TRUE(shows("d")) << "was closed";
  EXPECT_TRUE(actions_.run("view.panels.d"));
  gui_->frames();
  EXPECT_FALSE(shows("d"));
}

TEST_F(SwitchedWorkspaces, APanelThatIsAskedForComesBeforeTheFocusedOneBesideIt) {
  ImGui::SetWindowFocus("Panel b###b@one");
  gui_->frames(3);
  ASSERT_NE(ImGui::GetCurrentContext()->NavWindow, nullptr);
  ASSERT_EQ(ImGui::GetCurrentContext()->NavWindow->DockNode,
            ImGui::FindWindowByName("Panel c###c@one")->DockNode);
  tabs_->show_panel("c");
  gui_->frames(5);
  EXPECT_TRUE(shows("c")) << "in front of b";
}

TEST_F(SwitchedWorkspaces, APanelThatALaterLayoutAddsIsShown) {
  widen_a();
  const Rectangle wide = place("a");
  stop();
  start({layout("one", R"({"columns": [{"panels": ["a"]}, {"panels": ["d"]}, {"panels": ["b", "c"]}]})")});
  EXPECT_TRUE(panels_[3]->open);
  EXPECT_EQ(place("a"), wide) << "the rest stands as it was left";
  const Rectangle centre = place("b");
  ImGui::SetWindowFocus(panels_[3]->window_name("one").c_str());
  gui_->frames();
  EXPECT_TRUE(shows("d"));
  EXPECT_EQ(place("d"), centre) << "a tab beside b";
}

TEST_F(SwitchedWorkspaces, APanelIsTheSameInEach) {
  const auto& b = dynamic_cast<const Room&>(*panels_[1]);
  const auto& a = dynamic_cast<const Room&>(*panels_[0]);
  const ImGuiID table = b.table;
  press(ImGuiKey_2);
  EXPECT_TRUE(shows("b"));
  EXPECT_EQ(b.table, table) << "what ImGui keeps of its content";
  EXPECT_NE(a.table, table);
}

TEST_F(SwitchedWorkspaces, OneAloneHasNoTab) {
  EXPECT_TRUE(gui_->has("workspace.one"));
  start({layout("one", R"({"panels": ["a"]})")});
  EXPECT_TRUE(shows("a"));
  EXPECT_FALSE(gui_->has("workspace.one"));
}

TEST_F(SwitchedWorkspaces, APanelInTooSmallAnAreaKeepsItsLeastSizeAndScrolls) {
  start(two(), 200, 90);
  const auto& a = dynamic_cast<const Room&>(*panels_[0]);
  EXPECT_LT(place("a")[2] - place("a")[0], 120);
  EXPECT_EQ(a.room.x, 120);
  EXPECT_EQ(a.room.y, 80);
  start();
  EXPECT_GT(a.room.x, 200);
  EXPECT_GT(a.room.y, 400);
}

// A column on each side of a plot above a table, of which the plot may become a tab.
WorkspaceLayout three_columns() {
  return layout("one", R"({"columns": [
    {"share": 1, "panels": ["a"]},
    {"share": 2, "tabs_when_small": true, "rows": [{"panels": ["b"]}, {"panels": ["c"]}]},
    {"share": 1, "panels": ["d"]}]})");
}

TEST_F(SwitchedWorkspaces, NoDockIsCrushedWhenTheWindowShrinks) {
  start({three_columns()}, 1600, 800);
  const float wide = width_of("b");
  resize_slowly(460, 400);
  for (const char* id : {"a", "b", "d"})
    EXPECT_GE(width_of(id), 120) << id << " needs 120 pixels, and there is room for all three";
  EXPECT_GE(height_of("b"), 80);
  EXPECT_GE(height_of("c"), 80);
  resize(1600, 800);
  EXPECT_NEAR(width_of("b"), wide, 3) << "the share comes back with the room";
}

TEST_F(SwitchedWorkspaces, PartsBecomeTabsWhileTheWindowIsSmall) {
  start({three_columns()}, 900, 600);
  EXPECT_TRUE(shows("b") && shows("c"));
  resize_slowly(900, 200);
  EXPECT_TRUE(shows("b"));
  EXPECT_FALSE(shows("c")) << "a tab behind b";
  EXPECT_GE(height_of("b"), 80);
  resize_slowly(900, 600);
  EXPECT_TRUE(shows("b") && shows("c"));
  EXPECT_TRUE(gui_->errors().empty()) << gui_->errors().front();
}

TEST_F(SwitchedWorkspaces, WhatThePersonMadeOfItFollowsTheWindowAndStays) {
  widen_a();
  const float share = width_of("a") / 900;
  resize_slowly(1800, 600);
  EXPECT_NEAR(width_of("a") / 1800, share, 0.01);
  resize_slowly(900, 600);
  EXPECT_NEAR(width_of("a") / 900, share, 0.01);
  stop();
  resize(1800, 600);
  start(two(), 1200, 600);
  EXPECT_NEAR(width_of("a") / 1200, share, 0.01) << "stored in a window of another size";
}

TEST_F(SwitchedWorkspaces, PanelsThatThePersonDockedOtherwiseStayThere) {
  start({three_columns()}, 900, 600);
  const ImGuiID with_a = ImGui::FindWindowByName(panels_[0]->window_name("one").c_str())->DockId;
  ImGui::DockBuilderDockWindow(panels_[2]->window_name("one").c_str(), with_a);
  gui_->frames();
  EXPECT_FALSE(shows("a") && shows("c")) << "tabs of one dock";
  resize_slowly(900, 200);
  resize_slowly(900, 600);
  EXPECT_FALSE(shows("a") && shows("c"));
}

TEST_F(SwitchedWorkspaces, ABorderStopsBeforeItCrushesADock) {
  start(two(), 1200, 600);
  const Rectangle a = place("a");
  drag(a[2] + 1, (a[1] + a[3]) / 2, 5);
  EXPECT_GE(width_of("a"), 115);
}

}  // namespace
}  // namespace tilescope
