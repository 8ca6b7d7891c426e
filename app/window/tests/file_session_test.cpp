// A session of points of files, in the whole window without a display.

#include "app/explorer/tests/sample_file_point.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/window/workspace.hpp"

namespace tilescope {
namespace {

class FileSession : public Panels {
 protected:
  FileSession() {
    settings_.first_task_done = true;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    gui_.show([this] {
      explorer_->update();
      workspace_.draw();
    });
    gui_.frames(6);
  }
  void show_review() {
    gui_.click("workspace.review");
    gui_.frames(8);
  }

  test_support::HeadlessGui gui_{1280, 720};
  Settings settings_;
  Workspace workspace_{*explorer_, settings_};
};

TEST_F(FileSession, IsOpenedInReviewWithItsList) {
  Session session;
  session.title = "files";
  session.created_utc = "2026-01-01T00:00:00Z";
  for (const std::int64_t tile : {16, 32}) session.points.push_back(shared_file_point(tile, 512));
  const fs::path file = scratch_.folder() / "files.json";
  SessionWriter(file).write(session);
  ASSERT_TRUE(explorer_->points().open_session(file));
  gui_.frames(8);
  EXPECT_EQ(workspace_.tabs().active().id, "review");
  EXPECT_TRUE(gui_.has("points.constants")) << "the ladder has no place for them";
  EXPECT_TRUE(gui_.has("latency.file"));
}

TEST_F(FileSession, TheListComesToTheFrontOnceWhileAPointOfAFileIsShown) {
  show_review();
  EXPECT_FALSE(gui_.has("points.constants"));
  const SharedMeasurement kept = shared_file_point(16, 512);
  explorer_->points().add_of_file(kept, {});
  explorer_->shown().show(kept);
  gui_.frames(8);
  EXPECT_TRUE(gui_.has("points.constants"));
  gui_.click("tab.ladder");
  gui_.frames(8);
  EXPECT_FALSE(gui_.has("points.constants")) << "the user's choice comes first";
}

}  // namespace
}  // namespace tilescope
