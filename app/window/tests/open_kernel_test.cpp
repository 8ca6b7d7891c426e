// Files that the window opens as kernels rather than as sessions, in the whole window without a display.

#include <fstream>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/window/workspace.hpp"

namespace tilescope {
namespace {

class OpenKernel : public Panels {
 protected:
  OpenKernel() {
    settings_.first_task_done = true;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    std::ofstream(file_) << "__global__ void f() {}\n";
    gui_.show([this] {
      explorer_->update();
      workspace_.draw();
    });
    gui_.frames(6);
  }
  const fs::path& opened() const { return explorer_->board().get<OpenedFile>().file(); }
  bool shows_it() {
    gui_.frames(6);
    const Panel* panel = workspace_.find_panel("kernel-file");
    return workspace_.tabs().active().id == "kernel_file" && panel->open;
  }
  /// Types a path into the dialog that a menu item opened.
  void choose(const std::string& item, const fs::path& file) {
    gui_.click("menu.file");
    gui_.click(item);
    gui_.frames(6);
    gui_.type(file.string());
    gui_.key(ImGuiKey_Enter);
  }

  const fs::path file_ = scratch_.folder() / "f.cu";
  test_support::HeadlessGui gui_{1280, 720};
  Settings settings_;
  Workspace workspace_{*explorer_, settings_};
};

TEST_F(OpenKernel, ByItsOwnMenuItem) {
  choose("menu.file.open_kernel", file_);
  EXPECT_EQ(opened(), file_);
  EXPECT_TRUE(shows_it());
}

TEST_F(OpenKernel, AlsoWhereASessionWasAskedFor) {
  choose("menu.file.open", file_);
  EXPECT_EQ(opened(), file_);
  EXPECT_TRUE(shows_it());
  EXPECT_TRUE(explorer_->notices().errors().empty()) << explorer_->notices().errors().front();
}

TEST_F(OpenKernel, AFolderThatIsDroppedIsOneToChooseFrom) {
  workspace_.open(scratch_.folder());
  gui_.frames(6);
  EXPECT_TRUE(gui_.has("file_dialog.row.f.cu"));
  EXPECT_TRUE(opened().empty());
  workspace_.open(file_);
  EXPECT_EQ(opened(), file_);
}

TEST_F(OpenKernel, AFolderWithMachineCodeOpensAsAWhole) {
  const fs::path cache = scratch_.folder() / "cache";
  fs::create_directories(cache / "HASH");
  std::ofstream(cache / "HASH" / "k.ptx") << ".version 8.0\n";
  workspace_.open(cache);
  EXPECT_EQ(opened(), cache);
}

TEST_F(OpenKernel, TheFolderInTheDialogCanBeOpened) {
  gui_.click("menu.file");
  gui_.click("menu.file.open_kernel");
  gui_.frames(6);
  gui_.type(scratch_.folder().string());
  gui_.key(ImGuiKey_Enter);
  gui_.frames(4);
  gui_.click("file_dialog.folder");
  EXPECT_EQ(opened(), scratch_.folder());
  EXPECT_TRUE(shows_it());
}

TEST_F(OpenKernel, RecentFilesOfOneNameHaveTheirFolders) {
  for (const char* folder : {"one", "two"}) {
    fs::create_directories(scratch_.folder() / folder);
    fs::copy_file(file_, scratch_.folder() / folder / "f.cu");
    settings_.add_recent(scratch_.folder() / folder / "f.cu");
  }
  gui_.click("menu.file");
  gui_.click("menu.file.recent");
  gui_.frames(4);
  EXPECT_TRUE(gui_.has("menu.file.recent.f.one"));
  EXPECT_TRUE(gui_.has("menu.file.recent.f.two"));
}

}  // namespace
}  // namespace tilescope
