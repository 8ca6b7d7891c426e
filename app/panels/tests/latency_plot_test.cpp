#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/plot_marks.hpp"

namespace tilescope {
namespace {

class LatencyPlot : public Panels {
 protected:
  fs::path write(const std::string& name, Measurement point) const {
    Session session;
    session.created_utc = "2026-01-01T00:00:00Z";
    session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
    fs::path file = scratch_.folder() / (name + ".json");
    SessionWriter(file).write(session);
    return file;
  }
};

TEST_F(LatencyPlot, APredictionAloneSaysWhereTimedPointsAreAndChoosesTheirDevice) {
  const KernelDeclaration& kernel = explorer_->selection().kernel();
  Measurement predicted = make_point(kernel, kernel.complete({}), "L4");
  predicted.prediction = Prediction{60, 40, 90, 30, "model", "", {{"tensor", 60}}};
  Measurement timed = make_point(kernel, kernel.complete({}), "H200");
  timed.shape.B += 1;
  add_latency(timed, 50);
  ASSERT_TRUE(explorer_->points().open_session(write("here", predicted)));
  test_support::HeadlessGui gui(900, 500);
  show(gui, "latency");
  ASSERT_TRUE(gui.has("plot.latency"));
  EXPECT_FALSE(gui.has("latency.elsewhere"));
  ASSERT_TRUE(explorer_->points().open_recorded(write("recorded", timed)));
  explorer_->selection().set_experiment({kernel.name, {}, Shape{}, "L4"});
  gui.frames();
  ASSERT_TRUE(gui.has("latency.elsewhere"));
  gui.click("latency.choose_device");
  EXPECT_EQ(explorer_->selection().device().name, "H200");
  gui.frames();
  EXPECT_FALSE(gui.has("latency.choose_device"));
}

TEST_F(LatencyPlot, SeriesOfPredictionsDifferInShape) {
  const test_support::HeadlessGui gui(400, 300);
  std::vector<ImPlotMarker> markers;
  for (const bool own : {true, false}) {
    for (const LatencyKind kind : {LatencyKind::measured, LatencyKind::recorded}) {
      LatencySeries series;
      series.predicted = true;
      series.kind = kind;
      series.own_device = own;
      const MarkStyle style = style_of(series);
      EXPECT_FALSE(style.filled);
      EXPECT_NE(style.marker, provisional_style({}).marker);
      markers.push_back(style.marker);
    }
  }
  std::sort(markers.begin(), markers.end());
  EXPECT_EQ(std::adjacent_find(markers.begin(), markers.end()), markers.end());
}

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
  test_support::HeadlessGui gui(900, 500);
  show(gui, "latency");
  EXPECT_FALSE(gui.has("plot.latency"));
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("plot.latency"));
}

}  // namespace
}  // namespace tilescope
