// The HTML report of 500 recorded points: its size, and how long it takes.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "sessions/reports/session_report.hpp"

namespace {

using namespace tilescope;

constexpr std::size_t points_of_report = 500;

/// Spreads the points evenly among an example's, so that there are as many kernels and shapes.
Session points_of(const std::string& example) {
  Session session = load_session(std::string(TILESCOPE_SOURCE_DIR) + "/sessions/examples/" + example);
  PointList chosen;
  chosen.reserve(points_of_report);
  for (std::size_t i = 0; i < points_of_report; ++i)
    chosen.push_back(session.points[i * session.points.size() / points_of_report]);
  session.points = std::move(chosen);
  return session;
}

void html_report(benchmark::State& state, const std::string& example) {
  const Session session = points_of(example);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = to_html(session_report(session, {}, "0")).size();
  state.counters["MB"] = static_cast<double>(bytes) * 1e-6;
  state.SetLabel("goal: 2 MB");
}
BENCHMARK_CAPTURE(html_report, nine_shapes, "model_h200.json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(html_report, one_kernel, "flash_scalar_h200.json")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
