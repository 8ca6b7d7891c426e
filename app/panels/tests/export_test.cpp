// A panel's own menu saves what the panel shows.

#include <fstream>
#include <iterator>

#include "app/gui/landmarks.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/window/panel_export.hpp"

namespace tilescope {
namespace {

class Export : public Panels {
 protected:
  void right_click(test_support::HeadlessGui& gui, const std::string& mark) {
    gui.move_to(mark);
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, true);
    gui.frames();
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, false);
    gui.frames();
  }

  /// One panel in a window of its own, with what saves it.
  void show_window(test_support::HeadlessGui& gui, const std::string& id) {
    explorer_->points().open_session(write_session("timed", "L4", true));
    while (explorer_->update()) {
    }
    gui.show([this, id] {
      ImGui::SetNextWindowPos({0, 0}, ImGuiCond_Always);
      ImGui::SetNextWindowSize({900, 600}, ImGuiCond_Always);
      panel(id).show(*explorer_, {});
      export_.draw(panels_, *explorer_);
    });
    gui.frames(8);
  }

  /// Chooses an entry of the open menu and gives the file a name.
  fs::path save(test_support::HeadlessGui& gui, const std::string& entry, const std::string& name) {
    fs::path file = scratch_.folder() / name;
    gui.click(entry);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    gui.key(ImGuiKey_A);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
    gui.type(file.string());
    gui.click("file_dialog.accept");
    gui.frames();
    return file;
  }

  static std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  PanelExport export_;
};

TEST_F(Export, TheMenuOfATabSavesAPictureWithItsTextAsText) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "latency");
  right_click(gui, "tab.latency");
  const fs::path file = save(gui, "panel_menu.svg", "plot.svg");
  const std::string svg = text_of(file);
  for (const char* part :
       {"<svg ", ">BLOCK_M</text>", ">p50 with p10 to p90 [µs]</text>", " on L4</text>", "</svg>\n"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find(">Latency</text>"), std::string::npos) << "the panel without its title bar";
  EXPECT_EQ(svg.find("Save as"), std::string::npos) << "the menu and the dialog are not in the picture";
  ASSERT_FALSE(explorer_->notices().list().empty());
  EXPECT_EQ(explorer_->notices().list().back().text, "Saved " + file.string());
  EXPECT_TRUE(gui.errors().empty()) << gui.errors().front();
}

TEST_F(Export, AFolderThatDoesNotExistIsRefusedInTheDialogAndNotRemembered) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "heat_map");
  right_click(gui, "plot.heat_map");
  const std::size_t notices = explorer_->notices().list().size();
  const fs::path nowhere = save(gui, "panel_menu.csv", "nope/map.csv");
  EXPECT_TRUE(gui.has("file_dialog.error")) << "the dialog stays";
  EXPECT_EQ(explorer_->notices().list().size(), notices);
  EXPECT_FALSE(fs::exists(nowhere.parent_path()));
  gui.key(ImGuiKey_Escape);
  gui.frames();
  EXPECT_FALSE(gui.has("file_dialog.error"));
  right_click(gui, "plot.heat_map");
  const fs::path file = save(gui, "panel_menu.csv", "map.csv");
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(Export, ARightClickInThePlotSavesItsTable) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "heat_map");
  right_click(gui, "plot.heat_map");
  const fs::path file = save(gui, "panel_menu.csv", "map");
  EXPECT_FALSE(fs::exists(file)) << "the extension is added";
  const std::string csv = text_of(file.string() + ".csv");
  EXPECT_EQ(csv, panel("heat_map").csv());
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST_F(Export, TheFileMenuSavesAPanelThatLiesBehindAnother) {
  test_support::HeadlessGui gui(1000, 700);
  explorer_->points().open_session(write_session("timed", "L4", true));
  // As in a workspace, which has a few of them.
  for (const auto& each : panels_) each->open = each->id() == "occupancy" || each->id() == "latency";
  while (explorer_->update()) {
  }
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  Action submenu{"file.export", "Export", "File"};
  submenu.children = [this] { return PanelExport::actions(panels_); };
  ActionList actions;
  actions.add(submenu);
  gui.show([&] {
    const ImGuiID dock = ImGui::DockSpaceOverViewport();
    for (const char* id : {"occupancy", "latency"}) panel(id).show(*explorer_, {"test", dock});
    if (ImGui::BeginMainMenuBar()) {
      if (ImGui::BeginMenu("File")) {
        actions.draw_items("File");
        ImGui::EndMenu();
      }
      landmark("menu.file");
      ImGui::EndMainMenuBar();
    }
    export_.draw(panels_, *explorer_);
  });
  gui.frames(8);
  gui.click("tab.latency");
  EXPECT_FALSE(gui.has("plot.occupancy"));
  right_click(gui, "tab.latency");
  EXPECT_TRUE(gui.has("panel_menu.svg")) << "the tab of a docked panel";
  gui.key(ImGuiKey_Escape);
  gui.click("menu.file");
  gui.click("menu.file.export");
  const fs::path file = save(gui, "menu.file.export.occupancy.csv", "behind.csv");
  const std::string csv = text_of(file);
  EXPECT_EQ(csv.substr(0, 14), "series,device,");
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 1);
  EXPECT_TRUE(gui.has("plot.occupancy")) << "it came to the front";
}

TEST_F(Export, ADragWithTheRightButtonIsNoMenu) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "latency");
  gui.move_to("plot.latency");
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, true);
  gui.frames();
  gui.move_to("latency.axis");
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Right, false);
  gui.frames();
  EXPECT_FALSE(gui.has("panel_menu.svg"));
}

TEST_F(Export, AMenuOfTheContentComesFirst) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "points");
  right_click(gui, "row.0");
  EXPECT_FALSE(gui.has("panel_menu.svg"));
}

TEST_F(Export, APanelWithoutATableOffersPicturesAlone) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "configuration");
  right_click(gui, "tab.configuration");
  EXPECT_TRUE(gui.has("panel_menu.png"));
  EXPECT_FALSE(gui.has("panel_menu.csv"));
}

TEST_F(Export, AFileThatCannotBeWrittenIsSaid) {
  test_support::HeadlessGui gui(1000, 700);
  show_window(gui, "latency");
  right_click(gui, "tab.latency");
  save(gui, "panel_menu.csv", std::string(300, 'x') + ".csv");  // no file system takes so long a name
  ASSERT_FALSE(explorer_->notices().errors().empty());
  EXPECT_NE(explorer_->notices().errors().back().find("x.csv cannot be written: "), std::string::npos);
}

}  // namespace
}  // namespace tilescope
