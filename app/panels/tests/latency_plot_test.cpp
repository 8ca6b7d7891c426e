#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

using LatencyPlot = Panels;

TEST_F(LatencyPlot, LatenciesAtOtherSettingsAreOneClickAway) {
  Configuration elsewhere = explorer_->selection().kernel().complete({});
  elsewhere["BLOCK_N"] = std::int64_t{128};
  elsewhere["VEC_WIDTH"] = std::int64_t{4};
  Measurement point = make_point(explorer_->selection().kernel(), elsewhere, "H200");
  add_latency(point, 50);
  Session session;
  session.created_utc = "2026-01-01T00:00:00Z";
  session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
  SessionWriter(scratch_.folder() / "one.json").write(session);
  ASSERT_TRUE(explorer_->points().open_recorded(scratch_.folder() / "one.json"));
  testing::HeadlessGui gui(900, 500);
  show(gui, "latency");
  EXPECT_FALSE(gui.has("plot.latency"));
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("plot.latency"));
}

}  // namespace
}  // namespace tilescope
